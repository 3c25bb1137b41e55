/**
 * Stands for the validator that the MCP SDK brings (see wrangler.toml): it makes code of schemas, which the runtime does
 * not allow, and validates only what a server asks its clients for. Ours asks for nothing.
 */
export default class NoValidator {
  compile(): never {
    throw new Error('Client schemas are not supported.');
  }
}
