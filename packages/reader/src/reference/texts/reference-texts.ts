/** The interface texts of API references. */
export interface ReferenceTexts {
  required: string;
  deprecated: string;
  /** Label of a deprecated operation. */
  isDeprecated: string;
  readOnly: string;
  writeOnly: string;
  /** Label of fields with arbitrary names. */
  anyName: string;
  fields: string;
  oneOf: string;
  anyOf: string;
  allowed: string;
  /** Label of a constant value. */
  always: string;
  default: string;
  example: string;
  pattern: string;
  multipleOf: string;
  range: string;
  length: string;
  items: string;
  uniqueItems: string;
  /** Prefix of constraints that apply to each item of a list. */
  eachItem: string;
  path: string;
  query: string;
  header: string;
  cookie: string;
  body: string;
  /** Title of a webhook's body. */
  payload: string;
  responses: string;
  callbacks: string;
  links: string;
  authentication: string;
  or: string;
  /** Shown if no authentication is required. */
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
  /** Title of the page for testing an operation. */
  testTitle: string;
  needsScripts: string;
  /** Error message when CORS hides the response from the page. */
  unreachable: string;
}
