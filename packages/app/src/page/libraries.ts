import type { DrawingLibraries, PageNode } from '@octavo/reader/drawing';

/** Yields the types of nodes and of everything in them. */
function* getTypes(nodes: PageNode[]): Generator<string> {
  for (const { type = '', nodes: inside = [], fragments = [], meta } of nodes) {
    yield meta?.code === undefined ? type : 'code';
    yield* getTypes([...inside, ...fragments]);
  }
}

type Loaded = Pick<DrawingLibraries, 'highlight' | 'toMathMl'>;

export const plain: Loaded = {
  highlight: (lines) => lines.map((text) => [{ text }]),
  toMathMl: () => undefined,
};

/** Loads the libraries that the blocks of a page need. Most pages need at most one of them. */
export async function loadLibraries(nodes: PageNode[]): Promise<Loaded> {
  const types = new Set(getTypes(nodes));
  const [highlighting, math] = await Promise.all([
    types.has('code') ? import('@octavo/highlight') : undefined,
    types.has('math') || types.has('inline-math') ? import('@octavo/reader/math') : undefined,
  ]);
  return {
    highlight: highlighting?.getTokens ?? plain.highlight,
    toMathMl: math?.toMathMl ?? plain.toMathMl,
  };
}
