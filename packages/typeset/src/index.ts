export type { Assets, Book, BookPage, FontName } from './book.ts';
export { BookTooLarge } from './limits.ts';
export { typeset } from './typeset.ts';
