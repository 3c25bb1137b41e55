export type { Assets, Book, BookPage, FontName } from './book.ts';
export { BookTooLarge } from './paper.ts';
export { typeset } from './typeset.ts';
