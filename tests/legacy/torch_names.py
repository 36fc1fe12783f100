"""Names of Torch7's package torch and of those around it, as its documentation and public programs have them."""

NAMES = {
    "torch CmdLine method": ("option text parse log string addTime silent"),
    "torch File method": (
        "close storage synchronize binary readObject writeObject seek writeString readString seekEnd quiet position "
        "hasError noBuffer ascii bigEndianEncoding isBigEndianCPU isLittleEndianCPU littleEndianEncoding "
        "nativeEndianEncoding longSize autoSpacing clearError noAutoSpacing pedantic isQuiet isReadable isWritable "
        "isAutoSpacing referenced isReferenced"
    ),
    "torch Generator method": (
        "uniform normal random bernoulli Generator seed manualSeed initialSeed getRNGState setRNGState exponential "
        "cauchy logNormal geometric"
    ),
    "torch Storage method": ("size copy fill resize string free retain"),
    "torch Tensor method": (
        "add size copy cuda zero clone eq float narrow fill view sub resize type sum mul resizeAs select dim nElement "
        "max div index cmul uniform apply set expand storage squeeze t mean transpose typeAs min double cdata normal "
        "abs nDimension split cdiv long std norm data ne expandAs reshape dot all exp log random clamp isContiguous "
        "numel ceil isSameSizeAs pow sqrt byte addcmul dist stride storageOffset addmm sort range addcdiv gather "
        "repeatTensor cmax ge scatter int addmv gt maskedFill viewAs mm le bernoulli indexCopy indexAdd unfold cat "
        "renorm mv cumsum topk sign cmin lt map floor csub permute tanh baddbmm ger randperm round addr median prod "
        "var indexFill nonzero chunk eye rand randn bmm conv2 any neg equal maskedCopy free sigmoid fmod char cinv "
        "isTensor isSize isSetTo maskedSelect map2 retain diag histc bhistc linspace logspace multinomial "
        "multinomialAliasSetup multinomialAlias ones tril triu zeros acos asin atan atan2 cos cosh log1p sin sinh "
        "rsqrt tan trunc frac cpow lshift clshift rshift crshift remainder mod cfmod cremainder cmod bitand cbitand "
        "bitor cbitor bitxor cbitxor addbmm lerp cross cumprod mode kthvalue trace xcorr2 conv3 xcorr3 gesv trtrs "
        "potrf pstrf potrs potri gels symeig eig svd inverse qr geqrf orgqr ormqr short geometric cauchy exponential "
        "logNormal"
    ),
    "torch Tester method": (
        "add eq assert assertTensorEq run assertTableEq ne assertlt asserteq assertle assertTensorNe assertError "
        "assertErrorPattern assertNoError assertgt assertge assertne disable assertGeneralEq assertGeneralNe "
        "assertalmosteq assertTableNe assertErrorMsg assertErrorObj setEarlyAbort setRethrowErrors setSummaryOnly"
    ),
    "torch Timer method": ("reset time stop resume"),
    "torch function": (
        "Tensor type class randn LongTensor zeros random load save uniform IntTensor FloatTensor Timer CmdLine "
        "setdefaulttensortype typename CudaTensor manualSeed randperm pointer data include LongStorage ByteTensor "
        "range max rand isTensor cmul eq Tester TestSuite isTypeOf cat sum setnumthreads ones abs linspace "
        "DoubleTensor sort DiskFile exp round reshape mul eye floor add cdiv mm multinomial log gt MemoryFile "
        "repeatTensor div totable norm tic pow mean CharTensor min lt sign toc dist ge factory getdefaulttensortype "
        "getnumthreads ceil ger diag topk sqrt conv2 ne CudaLongTensor protoClone dot cmin le all setmetatable mv "
        "cumsum cmax serialize concat normal bernoulli seed isclass tanh sigmoid symeig getmetatable DoubleStorage "
        "triu clamp numel eig any deserialize Generator expand serializeToStorage deserializeFromStorage checkpoint "
        "AliasMultinomial MultiCudaTensor setFloatStorage setIntStorage "
        "histc cos mode prod std gels inverse bhistc logspace multinomialAliasSetup multinomialAlias "
        "tril acos asin atan atan2 cosh log1p sin sinh rsqrt tan trunc frac cpow addcmul lshift clshift rshift "
        "crshift addcdiv fmod remainder mod cfmod cremainder cmod bitand cbitand bitor cbitor bitxor cbitxor addmv "
        "addr addmm addbmm baddbmm bmm lerp cross cumprod median kthvalue var renorm trace xcorr2 conv3 xcorr3 gesv "
        "trtrs potrf pstrf potrs potri svd qr geqrf orgqr ormqr PipeFile typename2id id newmetatable isequal getenv "
        "version setenv getconstructortable"
    ),
    "torch object method": ("isTypeOf"),
    "cudnn function": (
        "ReLU SpatialConvolution convert benchmark SpatialMaxPooling fastest SpatialBatchNormalization "
        "SpatialConvolutionUpsample SpatialAveragePooling version SpatialDilatedConvolution"
    ),
    "cutorch function": (
        "setDevice synchronize setStream streamBarrier getDevice getMemoryUsage _state manualSeed withDevice "
        "getDeviceCount getNumStreams streamWaitFor getStream manualSeedAll isCachingAllocatorEnabled setBlasHandle "
        "reserveBlasHandles reserveStreams createCudaHostHalfTensor createCudaHostDoubleTensor createCudaHostTensor"
    ),
    "gnuplot function": (
        "plot plotflush xlabel ylabel pngfigure title raw movelegend close grid figure epsfigure logscale"
    ),
    "hdf5 function": ("open DataSetOptions"),
    "image function": (
        "scale display save crop hflip load toDisplayTensor convolve Camera rgb2yuv lena rgb2y vflip gaussian1D "
        "savePNG gaussian rotate decompress drawText yuv2rgb warp loadPNG compressJPG"
    ),
    "itorch function": ("image"),
    "paths function": ("concat dofile filep dirp mkdir basename dirname files extname rmall dir indexdir rmdir"),
    "sys function": ("clock COLORS fexecute tic toc dirname execute concat fpath sleep"),
    "tds function": ("hash Vec Hash AtomicCounter"),
    "xlua function": ("progress unpack OptionParser error Profiler require"),
}
"""By what they are."""
