export { type OpenedPage, openPage, writePage } from './page.ts';
export { reopenPage } from './reopen-page.ts';
export { addTitleHeading, findTitleHeading, removeFirstBlock } from './title-heading.ts';
