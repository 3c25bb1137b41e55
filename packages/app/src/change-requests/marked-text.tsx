import type { VNode } from 'preact';
import type { MarkedPart } from './words.ts';

interface MarkedTextProps {
  parts: MarkedPart[];
  as: 'ins' | 'del';
}

/** A text whose changed words are marked as inserted or deleted. */
export const MarkedText = ({ parts, as: Mark }: MarkedTextProps): VNode => (
  <>{parts.map(({ text, isChanged }) => (isChanged ? <Mark>{text}</Mark> : text))}</>
);
