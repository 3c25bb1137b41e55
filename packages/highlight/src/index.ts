export { type CodeToken, codeReader, tokensOf } from './highlight.ts';
