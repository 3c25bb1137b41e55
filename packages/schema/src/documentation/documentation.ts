/** The documentation of an operation of the API. Properties of bodies and responses are named by their paths. */
export interface OperationDocumentation {
  description: string;
  parameters?: Record<string, string>;
  body?: Record<string, string>;
  /** Descriptions of the properties of a response whose schema has no name. */
  response?: Record<string, string>;
  /** The example of the request and response. Without `response`, it is the example of the response's schema. */
  example?: { body?: unknown; response?: unknown };
}

/** The documentation of a schema that has a name in the API. */
export interface SchemaDocumentation {
  description: string;
  /** Descriptions of the variants of a union, by the constant that distinguishes them. */
  variants?: Record<string, string>;
  properties?: Record<string, string>;
  example?: unknown;
}

/** The documentation of a resource. */
export interface ResourceDocumentation {
  operations: Record<string, OperationDocumentation>;
  schemas?: Record<string, SchemaDocumentation>;
}

/** The parts of an error that depend on the request. */
export interface ErrorExample {
  message: string;
  issues?: { path: string; message: string }[];
  conflicts?: unknown[];
}

/** The documentation of the whole API. */
export interface Documentation extends Required<ResourceDocumentation> {
  /** The description of the API, in Markdown. */
  introduction: string;
  /** The description of how a request is authenticated. */
  authentication: string;
  tags: Record<string, string>;
  /** Examples of errors, by their types. */
  errors: Record<string, ErrorExample>;
  /** The id of the request in the examples of errors. */
  requestId: string;
  /** Texts for parameters and properties with this name or path that have no text of their own. */
  parameters: Record<string, string>;
  properties: Record<string, string>;
}

/**
 * Returns the documentation of operations that differ only in the content they apply to, such as "a change request".
 * `contents` are the names of the content.
 */
export const forEachContent = (
  contents: Record<string, string>,
  document: (content: string) => OperationDocumentation,
): Record<string, OperationDocumentation> =>
  Object.fromEntries(Object.entries(contents).map(([name, content]) => [name, document(content)]));

/** Adds a path before the names of properties, for an object that contains these properties at this path. */
export const addPathPrefix = (path: string, texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${path}.${name}`, text]));
