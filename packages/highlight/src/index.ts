export { type CodeToken, createCodeReader, getTokens } from './highlight.ts';
