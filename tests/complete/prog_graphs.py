"""Graph algorithms: BFS, DFS, Dijkstra, topological sort, union-find, MST, SCC."""
from collections import defaultdict, deque
import heapq


class CycleError(Exception):
    pass


class Graph:
    def __init__(self, edges=(), directed=False):
        self.adj, self.directed = defaultdict(dict), directed
        for u, v, *w in edges: self.add(u, v, *w)

    def add(self, u, v, w=1):
        self.adj[u][v] = w
        if self.directed: self.adj[v]
        else: self.adj[v][u] = w

    def bfs(self, start):
        seen, queue = {start: 0}, deque([start])
        while queue:
            u = queue.popleft()
            yield u, seen[u]
            for v in sorted(self.adj[u]):
                if v not in seen:
                    seen[v] = seen[u] + 1
                    queue.append(v)

    def dfs(self, start, seen=None):
        seen = set() if seen is None else seen
        if start in seen: return
        seen.add(start)
        yield start
        for v in sorted(self.adj[start]): yield from self.dfs(v, seen)

    def dijkstra(self, start):
        dist, prev, heap = {start: 0}, {}, [(0, start)]
        while heap:
            d, u = heapq.heappop(heap)
            if d > dist[u]: continue
            for v, w in self.adj[u].items():
                if (nd := d + w) < dist.get(v, float("inf")):
                    dist[v], prev[v] = nd, u
                    heapq.heappush(heap, (nd, v))
        return dist, prev

    def path(self, a, b):
        dist, prev = self.dijkstra(a)
        if b not in dist: raise LookupError(f"no path from {a} to {b}")
        out = [b]
        while out[-1] != a: out.append(prev[out[-1]])
        return dist[b], "".join(reversed(out))

    def topological(self):
        state, order = {}, []
        def visit(u, trail=()):
            if state.get(u) == "done": return
            if state.get(u) == "open": raise CycleError(" -> ".join(trail[trail.index(u):] + (u,)))
            state[u] = "open"
            for v in sorted(self.adj[u]): visit(v, trail + (u,))
            state[u] = "done"; order.append(u)
        for u in sorted(self.adj): visit(u)
        return order[::-1]

    def scc(self):
        index, low, stack, out = {}, {}, [], []
        def strong(v):
            index[v] = low[v] = len(index); stack.append(v)
            for w in sorted(self.adj[v]):
                if w not in index: strong(w); low[v] = min(low[v], low[w])
                elif w in stack: low[v] = min(low[v], index[w])
            if low[v] == index[v]:
                comp = []
                while True:
                    comp.append(w := stack.pop())
                    if w == v: break
                out.append("".join(sorted(comp)))
        for v in sorted(self.adj): v in index or strong(v)
        return out

    def mst(self):
        parent = {u: u for u in self.adj}
        def find(x):
            while parent[x] != x: parent[x] = x = parent[parent[x]]
            return x
        total, used = 0, []
        for w, u, v in sorted((w, u, v) for u in self.adj for v, w in self.adj[u].items() if u < v):
            if (a := find(u)) != (b := find(v)):
                parent[a] = b; total += w; used.append(u + v)
        return total, used


g = Graph([("a", "b", 4), ("a", "c", 1), ("c", "b", 2), ("b", "d", 5), ("c", "d", 8), ("e", "f", 3), ("d", "g", 1)])
print(list(g.bfs("a")), list(g.dfs("a")), g.path("a", "d"), g.mst())
dag = Graph([("shirt", "tie"), ("tie", "jacket"), ("pants", "shoes"), ("pants", "belt"), ("belt", "jacket")], directed=True)
print(dag.topological(), Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d")], True).scc())
dag.add("jacket", "shirt")
try: dag.topological()
except CycleError as e: print("cycle:", e)
grid = ["..#.", ".##.", "....", "#.#."]
cells = Graph(((r, c), (r + dr, c + dc)) for r, row in enumerate(grid) for c, ch in enumerate(row) if ch == "." for dr, dc in ((0, 1), (1, 0)) if r + dr < 4 and c + dc < 4 and grid[r + dr][c + dc] == ".")
print(max(cells.bfs((0, 0)), key=lambda t: (t[1], t[0])), len(cells.adj), sum(map(len, cells.adj.values())) // 2)
print(sorted(g.dijkstra("a")[0].items()), g.path("a", "a"))
g.path("a", "f")
