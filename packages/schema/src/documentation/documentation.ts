export interface OperationDocumentation {
  description: string;
  parameters?: Record<string, string>;
  /** Descriptions of the body's properties, by path. */
  body?: Record<string, string>;
  /** Descriptions of the response's properties, by path, if it is not a schema with a name. */
  response?: Record<string, string>;
  example?: { body?: unknown; response?: unknown };
}

export interface SchemaDocumentation {
  description: string;
  properties?: Record<string, string>;
  example?: unknown;
}

export interface Documentation {
  operations: Record<string, OperationDocumentation>;
  schemas?: Record<string, SchemaDocumentation>;
}
