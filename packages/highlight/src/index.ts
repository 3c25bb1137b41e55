export { type CodeToken, codeReader, getTokens } from './highlight.ts';
