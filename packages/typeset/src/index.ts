export type { Assets, BookPage, FontName } from './book.ts';
export { BookTooLarge } from './paper.ts';
export type { Pixels } from './pixels.ts';
export { typesetBook } from './typeset.ts';
