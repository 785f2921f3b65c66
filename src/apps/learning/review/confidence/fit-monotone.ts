type Point = { readonly x: number; readonly y: number };
type Block = { readonly x: number; readonly y: number; readonly weight: number };

/** The straight line that stands for no knowledge: ten points that weigh as two outcomes each, from 0.05 to 0.95. */
const LINE: readonly Block[] = Array.from({ length: 10 }, (_, at) => (at + 0.5) / 10).map((x) => ({
  x,
  y: x,
  weight: 2,
}));

/**
 * The function that never falls and lies nearest to the points (pool adjacent violators), between its steps a straight line. Few
 * points bend it little: it begins as the line on which both sides are equal.
 */
export function fitMonotone(points: readonly Point[]): (x: number) => number {
  const all: readonly Block[] = [...LINE, ...points.map(({ x, y }) => ({ x, y, weight: 1 }))];
  const sorted = [...Map.groupBy(all, ({ x }) => x).values()]
    .map((same) => same.reduce(pool))
    .sort((a, b) => a.x - b.x);
  const blocks: Block[] = [];
  for (const point of sorted) {
    let block: Block = point;
    for (let last = blocks.at(-1); last !== undefined && last.y >= block.y; last = blocks.at(-1)) {
      block = pool(last, block);
      blocks.pop();
    }
    blocks.push(block);
  }
  return (x) => between(blocks, x);
}

function pool(a: Block, b: Block): Block {
  const weight = a.weight + b.weight;
  const mean = (of: "x" | "y") => (a[of] * a.weight + b[of] * b.weight) / weight;
  return { x: mean("x"), y: mean("y"), weight };
}

function between(blocks: readonly Block[], x: number): number {
  const after = blocks.findIndex((block) => block.x >= x);
  const right = blocks[after];
  const left = after < 0 ? blocks.at(-1) : blocks[after - 1];
  if (left === undefined || right === undefined) return (left ?? right)?.y ?? x;
  return left.y + ((right.y - left.y) * (x - left.x)) / (right.x - left.x);
}
