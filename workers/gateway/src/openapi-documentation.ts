import type { ErrorType } from '@octavo/schema';
import { errorStatus } from '@octavo/schema';
import type { Documentation } from '@octavo/schema/documentation';

/** The parts of a JSON Schema that contain properties. */
interface Schema {
  $ref?: string;
  const?: unknown;
  description?: string;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
interface Media {
  schema?: Schema;
  example?: unknown;
}
interface Body {
  content?: Record<string, Media>;
}
interface Operation {
  operationId?: string;
  description?: string;
  parameters?: { name: string; description?: string; schema?: Schema }[];
  requestBody?: Body;
  responses?: Record<string, Body>;
}

/** The parts of an OpenAPI document to which documentation is added. */
export interface DescribedDocument {
  info?: { description?: string };
  tags?: { name: string; description?: string }[];
  paths?: Record<string, object>;
  components?: { schemas?: Record<string, Schema>; responses?: Record<string, Body>; securitySchemes?: object };
}

type Texts = Record<string, string>;

/** Adds descriptions and examples to the operations, tags and schemas of a document. */
export function addDocumentation(document: DescribedDocument, documentation: Documentation): void {
  const schemas = document.components?.schemas ?? {};
  if (document.info !== undefined) document.info.description = documentation.introduction;
  for (const scheme of Object.values(document.components?.securitySchemes ?? {}))
    setDescription(scheme, documentation.authentication);
  for (const tag of document.tags ?? []) setDescription(tag, documentation.tags[tag.name]);
  for (const [id, schema] of Object.entries(schemas)) {
    const { description, variants = {}, properties = {}, example } = documentation.schemas[id] ?? {};
    setDescription(schema, description);
    describeVariants(schema, variants);
    if (example !== undefined) schema.examples = [example];
    describeProperties(schema, { ...documentation.properties, ...properties });
  }
  addErrorExamples(document, documentation);
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods): Operation[] =>
    Object.values(methods),
  )) {
    if (operation.operationId !== undefined) describeOperation(operation, documentation, schemas);
  }
}

function addErrorExamples(document: DescribedDocument, { errors, requestId }: Documentation): void {
  for (const [type, response] of Object.entries(document.components?.responses ?? {})) {
    const media = getJsonMedia(response);
    const { message, ...details } = errors[type] ?? { message: '' };
    if (media !== undefined)
      media.example = { error: { code: errorStatus[type as ErrorType], message, type, requestId, ...details } };
  }
}

function describeOperation(operation: Operation, documentation: Documentation, schemas: Record<string, Schema>): void {
  const {
    description,
    parameters = {},
    body = {},
    response = {},
    example,
  } = documentation.operations[operation.operationId ?? ''] ?? {};
  // The existing description names the scope that a token needs. It follows the documentation.
  if (description !== undefined) {
    operation.description = [description, ...(operation.description === undefined ? [] : [operation.description])].join(
      '\n\n',
    );
  }
  for (const parameter of operation.parameters ?? []) {
    const { name, schema = {} } = parameter;
    setDescription(parameter, parameters[name] ?? schema.description ?? documentation.parameters[name]);
    delete schema.description;
  }
  const sent = getJsonMedia(operation.requestBody);
  if (sent?.schema !== undefined) describeProperties(sent.schema, { ...documentation.properties, ...body });
  if (sent !== undefined) setExample(sent, example?.body, schemas);
  for (const [status, result] of Object.entries(operation.responses ?? {})) {
    const returned = status.startsWith('2') ? getJsonMedia(result) : undefined;
    if (returned?.schema !== undefined)
      describeProperties(returned.schema, { ...documentation.properties, ...response });
    if (returned !== undefined) setExample(returned, example?.response, schemas);
  }
}

/** Sets the descriptions of the variants of a union. A variant is identified by the values of its constants. */
function describeVariants(schema: Schema, texts: Texts): void {
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    for (const { const: value } of Object.values(part.properties ?? {}))
      if (typeof value === 'string') setDescription(part, texts[value]);
}

const getJsonMedia = (body: Body | undefined): Media | undefined => body?.content?.['application/json'];

function setDescription(target: { description?: string }, text: string | undefined): void {
  if (text !== undefined) target.description = text;
}

function setExample(media: Media, explicit: unknown, schemas: Record<string, Schema>): void {
  const example = explicit ?? findExample(media.schema, schemas);
  if (example !== undefined) media.example = example;
}

/** Returns the example of a named schema, or a list with the example of its items. */
function findExample(schema: Schema | undefined, schemas: Record<string, Schema>): unknown {
  if (schema?.$ref !== undefined) return schemas[schema.$ref.split('/').at(-1) ?? '']?.examples?.[0];
  const items = findItemExample(schema?.properties?.items, schemas);
  if (items === undefined) return findItemExample(schema, schemas);
  return schema?.properties?.count === undefined ? { items } : { count: 1, items };
}

function findItemExample(list: Schema | undefined, schemas: Record<string, Schema>): unknown[] | undefined {
  const example = list?.items === undefined ? undefined : findExample(list.items, schemas);
  return example === undefined ? undefined : [example];
}

/** Sets the descriptions of the properties of a schema at every depth, by their paths. */
function describeProperties(schema: Schema, texts: Texts, path = ''): void {
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    describeProperties(part, texts, path);
  if (schema.items !== undefined) describeProperties(schema.items, texts, `${path}[]`);
  if (typeof schema.additionalProperties === 'object')
    describeProperties(schema.additionalProperties, texts, path === '' ? '*' : `${path}.*`);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const propertyPath = path === '' ? name : `${path}.${name}`;
    setDescription(property, texts[propertyPath]);
    describeProperties(property, texts, propertyPath);
  }
}
