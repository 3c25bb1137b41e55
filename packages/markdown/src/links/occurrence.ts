/** How strongly a place needs what it links to: a text that is included belongs to the page itself. */
export type LinkRelation = 'reference' | 'dependsOn';
export type LinkKind = 'link' | 'image' | 'embed' | 'file' | 'include' | 'cover';

/** How the text of a target is written where it stands. */
export type TargetStyle = 'destination' | 'attribute' | 'plain' | 'autolink' | 'yaml';

/** A target where it stands in a text, with the offsets (UTF-16 units) of what is written for it. */
export interface Occurrence {
  start: number;
  end: number;
  target: string;
  relation: LinkRelation;
  kind: LinkKind;
  style: TargetStyle;
}

/** An occurrence `by` further on. */
export const shifted = (occurrence: Occurrence, by: number): Occurrence => ({
  ...occurrence,
  start: occurrence.start + by,
  end: occurrence.end + by,
});

/** A match at exactly this position. */
export function matchAt(pattern: RegExp, source: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(source);
}
