/**
 * Replaces the validator of the MCP SDK (see wrangler.toml). It generates code from schemas, which the runtime does not
 * allow, and only validates input that a server requests from its clients. This server requests no input.
 */
export default class RefusingValidator {
  compile(): never {
    throw new Error('Client schemas are not supported.');
  }
}
