/** The words of API references. */
export interface ReferenceTexts {
  required: string;
  deprecated: string;
  /** Of an operation. */
  isDeprecated: string;
  readOnly: string;
  writeOnly: string;
  /** Of fields that may be called anything. */
  anyName: string;
  fields: string;
  oneOf: string;
  anyOf: string;
  allowed: string;
  /** Of the only value there is. */
  always: string;
  default: string;
  example: string;
  pattern: string;
  multipleOf: string;
  range: string;
  length: string;
  items: string;
  path: string;
  query: string;
  header: string;
  cookie: string;
  body: string;
  /** What a webhook sends. */
  payload: string;
  responses: string;
  authentication: string;
  or: string;
  /** Of a way in that needs nothing. */
  nothing: string;
  keyInHeader: string;
  keyInQuery: string;
  keyInCookie: string;
  basic: string;
  bearer: string;
  certificate: string;
  scopes: string;
  servers: string;
  request: string;
  response: string;
  samples: string;
  test: string;
  /** Of the page on which an operation is tried. */
  testTitle: string;
  needsScripts: string;
  /** Of a call that gets no answer that a page may read. */
  unreachable: string;
}
