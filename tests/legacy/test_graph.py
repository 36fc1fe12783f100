"""Torch's package graph, against what its documentation says and SciPy's searches."""

import numpy as np
import pytest
from scipy.sparse import csgraph

from functorch7.legacy import graph, nn


def made(edges, kind=graph.Node):
    """A graph of edges between numbers, and its nodes by these."""
    nodes = {each: kind(each) for pair in edges for each in pair}
    found = graph.Graph()
    found.add([graph.Edge(nodes[start], nodes[to]) for start, to in edges])
    return found, nodes


def data(nodes):
    return [node.data for node in nodes]


def walk(node, how):
    found = []
    getattr(node, how)(lambda each: found.append(each.data))
    return found


def random_edges(seed, cycles):
    """Edges between 12 nodes; without cycles, they lead from smaller numbers to larger ones."""
    pairs = np.random.default_rng(seed).integers(0, 12, (20, 2)).tolist()
    return [(a, b) if cycles else (min(a, b), max(a, b)) for a, b in pairs if a != b]


DIAMOND = [(1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]


def test_a_graph_knows_its_nodes_and_edges():
    g, nodes = made(DIAMOND)
    assert (len(g.nodes), len(g.edges)) == (4, 5) and [g.nodes[nodes[i]] for i in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert g.nodes[graph.Node(1)] is None and nodes[4].id == 4 and nodes[1].children[nodes[3]] == 2
    assert (data(g.roots()), data(g.leaves()), g.hasCycle()) == ([1], [4], False)
    edge = g.edges[0]
    g.add(edge)  # again
    assert len(g.edges) == 5 and (edge.start, edge.to, edge.weight) == (nodes[1], nodes[2], None)
    assert getattr(edge, "from") is nodes[1]
    with pytest.raises(TypeError, match="expected a graph.Edge"):
        g.add(nodes[1])


def test_copies_share_the_data_and_turn_edges_around():
    g, nodes = made(DIAMOND)
    copy, (back, places) = g.clone(), g.reverse()
    assert data(copy.nodes) == data(g.nodes) and not set(copy.nodes) & set(g.nodes)
    assert [(e.start.data, e.to.data) for e in copy.edges] == DIAMOND
    assert [(e.to.data, e.start.data) for e in back.edges] == DIAMOND and places[nodes[2]].data == 2
    assert data(back.roots()) == [4] and data(nodes[2].graph().nodes) == [2, 3, 4]


@pytest.mark.parametrize("seed", range(6))
def test_walks_reach_what_searches_of_scipy_reach(seed):
    edges = random_edges(seed, cycles=True)
    g, nodes = made(edges)
    matrix = np.zeros((12, 12))
    matrix[tuple(np.transpose(edges))] = 1
    distances = csgraph.shortest_path(matrix, unweighted=True)
    for start, node in nodes.items():
        reached = walk(node, "bfs")
        assert reached[0] == start and sorted(walk(node, "dfs")) == sorted(reached)
        assert set(reached) == set(np.flatnonzero(np.isfinite(distances[start])))
        assert (np.diff(distances[start, reached]) >= 0).all()  # nearest first
        assert not any(each.visited or each.marked for each in g.nodes)
    components, _ = csgraph.connected_components(matrix, connection="strong")
    assert g.hasCycle() == (components < 12)
    if g.hasCycle():
        with pytest.raises(ValueError, match="expected no cycles"):
            g.topsort()


@pytest.mark.parametrize("seed", range(6))
def test_sorting_puts_no_edge_backwards(seed):
    edges = random_edges(seed, cycles=False)
    g, _ = made(edges)
    order = data(g.topsort()[0])
    assert sorted(order) == sorted({each for pair in edges for each in pair})
    assert all(order.index(start) < order.index(to) for start, to in edges) and not g.hasCycle()


def test_long_graphs_need_no_deep_stack():
    g, nodes = made([(i, i + 1) for i in range(5000)])
    assert walk(nodes[0], "dfs")[0] == 5000 and data(g.topsort()[0])[-1] == 5000 and not nodes[0].hasCycle()


class Named(graph.Node):
    def graphNodeName(self):
        return f"layer {self.data}"

    def graphNodeAttributes(self):
        return {"fillcolor": "red"}


def test_graphs_are_drawn(tmp_path):
    g, _ = made([(1, 2), (2, 3)])
    drawn = graph.dot(g, "a title", str(tmp_path / "g"))
    assert "n1 -> n2;" in (tmp_path / "g.dot").read_text() and "a title" in drawn.read_text()
    assert "layer 2" in made([(1, 2)], Named)[0].todot() and "fillcolor=red" in graph.todot(made([(1, 2)], Named)[0])
    graph.graphvizFile(g, "dot", str(tmp_path / "file.svg"))
    assert (tmp_path / "file.svg").read_text().startswith("<svg")
    places = graph.graphvizLayout(g).numpy()
    assert places.shape == (3, 2) and (np.diff(places[:, 1]) < 0).all() and np.ptp(places[:, 0]) < 1e-6
    with pytest.raises(ValueError, match="expected the layout 'dot', got 'neato'"):
        graph.graphvizLayout(g, "neato")
    with pytest.raises(ValueError, match="ends with .svg or .dot"):
        graph.graphvizFile(g, "dot", "file.png")


def test_nodes_of_networks_are_walked_through():
    entry = nn.Identity()()
    network = nn.gModule([entry], [nn.Tanh()(nn.Linear(3, 2)(entry))])
    found = []
    network.innode.bfs(lambda node: found.append(node.data.module and node.data.module.typename()))
    assert [each for each in found if each] == ["nn.Identity", "nn.Linear", "nn.Tanh"]
