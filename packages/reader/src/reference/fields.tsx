import { createSlugAllocator, slugify } from '@octavo/markdown/anchors';
import type { JsonObject } from '@octavo/specification';
import { getOwnProperty, getTextAt, isObject, resolveLocal } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import { Constraints, hasConstraints } from './constraints.tsx';
import type { ModelsPart, OperationPart } from './parts.ts';
import type { ApiReferenceContext, OperationContext } from './reference-context.tsx';
import { Prose, Section, Title } from './reference-context.tsx';
import type { SampleDirection } from './samples.ts';
import type { BodyMedia, ResolvedSchema, SchemaField } from './schema.ts';
import { formatType, getFields, getList, getMedia } from './schema.ts';

const maxLevels = 8;
const maxNameLength = 200;

interface SchemaProps {
  apiContext: ApiReferenceContext;
  schema: ResolvedSchema;
  /**
   * Whether the schema is part of a request or a response. Fields that exist only in the other direction are omitted.
   * Models show all fields.
   */
  direction: SampleDirection | undefined;
  level: number;
}

/** A named field of an object, or a parameter. */
interface FieldProps extends Omit<SchemaProps, 'level'> {
  name: string;
  isAnyName?: boolean;
  isRequired: boolean;
  isDeprecated?: boolean;
  /**
   * A description from the parameter or header that uses the schema. It takes precedence over the schema's own
   * description.
   */
  description?: string | undefined;
  level?: number;
}

export function Field({
  apiContext,
  name,
  schema,
  isAnyName,
  isRequired,
  level = 0,
  ...attributes
}: FieldProps): ComponentChildren {
  const { texts } = apiContext;
  const { value } = schema;
  const isDeprecated = attributes.isDeprecated === true || getOwnProperty(value, 'deprecated') === true;
  return (
    <li class="field">
      <p class="field-name">
        {isAnyName ? <em>{name === '*' ? texts.anyName : name}</em> : <code>{name.slice(0, maxNameLength)}</code>}
        <span class="field-type">{formatType(apiContext.schemas, schema)}</span>
        {isRequired && <span class="required">{texts.required}</span>}
        {isDeprecated && <span class="tag">{texts.deprecated}</span>}
        {attributes.direction !== 'response' && getOwnProperty(value, 'readOnly') === true && (
          <span class="tag">{texts.readOnly}</span>
        )}
        {attributes.direction !== 'request' && getOwnProperty(value, 'writeOnly') === true && (
          <span class="tag">{texts.writeOnly}</span>
        )}
      </p>
      <Prose text={attributes.description ?? getTextAt(value, 'description')} apiContext={apiContext} />
      <Constraints apiContext={apiContext} schema={schema} />
      <NestedFields apiContext={apiContext} schema={schema} direction={attributes.direction} level={level} />
    </li>
  );
}

/** The nested fields of a field, collapsed. */
function NestedFields({ apiContext, schema, direction, level }: SchemaProps): ComponentChildren {
  const inner = apiContext.schemas.getItemSchema(schema);
  if (inner.isWithinItself || level >= maxLevels) return null;
  if (!hasFields(apiContext, inner)) {
    const { variants } = apiContext.schemas.getVariants(inner);
    return variants.some((each) => hasConstraints(apiContext, each)) ? (
      <FieldList apiContext={apiContext} schema={inner} direction={direction} level={level + 1} />
    ) : null;
  }
  return (
    <details class="within">
      <summary>
        {apiContext.texts.fields}
        {inner.name !== undefined && (
          <>
            {' '}
            <code>{inner.name}</code>
          </>
        )}
      </summary>
      <FieldList apiContext={apiContext} schema={inner} direction={direction} level={level + 1} />
    </details>
  );
}

const hasFields = ({ schemas }: ApiReferenceContext, inner: ResolvedSchema): boolean => {
  const { variants } = schemas.getVariants(inner);
  return getFields(inner).length > 0 || variants.some((each) => getFields(schemas.getItemSchema(each)).length > 0);
};

/** The fields and variants of a schema. */
function FieldList({ apiContext, schema, direction, level }: SchemaProps): ComponentChildren {
  const inner = apiContext.schemas.getItemSchema(schema);
  const { isOne, variants } = inner.isWithinItself
    ? { isOne: false, variants: [] }
    : apiContext.schemas.getVariants(inner);
  const hidden = direction === 'request' ? 'readOnly' : direction === 'response' ? 'writeOnly' : '';
  const isShown = ({ schema: each }: SchemaField) => !isObject(each) || getOwnProperty(each, hidden) !== true;
  const fields = inner.isWithinItself ? [] : getFields(inner).filter(isShown);
  const visibleFields = fields.filter(() => apiContext.budget.spend('rows'));
  return (
    <>
      {visibleFields.length > 0 && (
        <ul class="fields">
          {visibleFields.map(({ name, schema: each, isAnyName, isRequired }) => (
            <Field
              apiContext={apiContext}
              schema={apiContext.schemas.read(each, inner.trail)}
              {...{ name, isAnyName, isRequired, direction, level }}
            />
          ))}
        </ul>
      )}
      {fields.length > visibleFields.length && <p class="more">{`+${fields.length - visibleFields.length}`}</p>}
      {variants.length > 0 && level < maxLevels && (
        <div class="variants">
          <p>{isOne ? apiContext.texts.oneOf : apiContext.texts.anyOf}</p>
          {variants
            .filter(() => apiContext.budget.spend('rows'))
            .map((each) => (
              <Variant apiContext={apiContext} schema={each} direction={direction} level={level + 1} />
            ))}
        </div>
      )}
    </>
  );
}

function Variant({ apiContext, schema, direction, level }: SchemaProps): ComponentChildren {
  const { value } = schema;
  const [title, type] = [getTextAt(value, 'title'), formatType(apiContext.schemas, schema)];
  const inner = apiContext.schemas.getItemSchema(schema);
  const { discriminator } = schema;
  const variantSummary = (
    <>
      {discriminator !== undefined && (
        <>
          <code>{`${discriminator.property}: ${discriminator.value}`}</code>{' '}
        </>
      )}
      {title !== undefined && title !== type && `${title} `}
      <code>{type}</code>
    </>
  );
  const rest = (
    <>
      <Prose text={getTextAt(value, 'description')} apiContext={apiContext} />
      <Constraints apiContext={apiContext} schema={schema} />
    </>
  );
  if (inner.isWithinItself || !hasFields(apiContext, inner))
    return (
      <div class="variant">
        <p>{variantSummary}</p>
        {rest}
      </div>
    );
  return (
    <details class="within">
      <summary>{variantSummary}</summary>
      {rest}
      <FieldList apiContext={apiContext} schema={inner} direction={direction} level={level} />
    </details>
  );
}

export const parameterLocations = ['path', 'query', 'header', 'cookie'] as const;

export interface OperationParameter {
  location: (typeof parameterLocations)[number];
  name: string;
  value: JsonObject;
  schema: unknown;
  isRequired: boolean;
}

const maxParameters = 500;
/** Headers that other parts of an operation describe. */
const describedHeaders = new Set(['accept', 'content-type', 'authorization']);

/** Returns the parameters of an operation and its path. Parameters of the operation take precedence. */
export function readParameters(document: JsonObject, { item, operation }: OperationPart): OperationParameter[] {
  const parametersByKey = new Map<string, OperationParameter>();
  for (const parameter of [...getList(item, 'parameters'), ...getList(operation, 'parameters')].slice(
    0,
    maxParameters,
  )) {
    const value = resolveLocal(document, parameter);
    const name = isObject(value) ? getTextAt(value, 'name') : undefined;
    const location = isObject(value)
      ? parameterLocations.find((each) => each === getOwnProperty(value, 'in'))
      : undefined;
    if (!isObject(value) || name === undefined || location === undefined) continue;
    if (location === 'header' && describedHeaders.has(name.toLowerCase())) continue;
    const schema = getOwnProperty(value, 'schema') ?? getMedia(value)[0]?.media.schema;
    const isRequired = location === 'path' || getOwnProperty(value, 'required') === true;
    parametersByKey.set(`${location} ${name}`, { location, name, value, schema, isRequired });
  }
  return [...parametersByKey.values()];
}

/** The parameters of an operation, grouped by location. */
export function Parameters({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const all = readParameters(apiContext.document, apiContext.part);
  return parameterLocations.map((location) => {
    const parameters = all.filter((each) => each.location === location && apiContext.budget.spend('rows'));
    if (parameters.length === 0) return null;
    return (
      <Section apiContext={apiContext} name={location} title={apiContext.texts[location]}>
        <ul class="fields">
          {[...parameters.filter((each) => each.isRequired), ...parameters.filter((each) => !each.isRequired)].map(
            ({ name, value, schema, isRequired }) => (
              <Field
                apiContext={apiContext}
                name={name}
                schema={readSchemaWithExample(apiContext, value, schema)}
                direction="request"
                isRequired={isRequired}
                isDeprecated={getOwnProperty(value, 'deprecated') === true}
                description={getTextAt(value, 'description')}
              />
            ),
          )}
        </ul>
      </Section>
    );
  });
}

/** A parameter's own example takes precedence over its schema's. */
function readSchemaWithExample({ schemas }: OperationContext, value: JsonObject, schema: unknown) {
  const resolved = schemas.read(schema);
  const example = getOwnProperty(value, 'example');
  return example === undefined ? resolved : { ...resolved, value: { ...resolved.value, example } };
}

interface Props {
  apiContext: ApiReferenceContext;
  media: BodyMedia[];
  direction: SampleDirection;
  isRequired?: boolean;
}

/** A body in each of its media types. Types with the same schema are grouped. */
export function Media({ apiContext, media, direction, isRequired = false }: Props): ComponentChildren {
  const groups = Map.groupBy(media, (each) => JSON.stringify(getOwnProperty(each.media, 'schema') ?? null));
  return [...groups.values()].map((group) => {
    const schema = apiContext.schemas.read(group[0]?.media.schema);
    return (
      <div class="media">
        <p class="field-name">
          {group.map(({ type }) => (
            <code>{type}</code>
          ))}
          <span class="field-type">{formatType(apiContext.schemas, schema)}</span>
          {isRequired && <span class="required">{apiContext.texts.required}</span>}
        </p>
        <Prose text={getTextAt(schema.value, 'description')} apiContext={apiContext} />
        <Constraints apiContext={apiContext} schema={schema} />
        <FieldList apiContext={apiContext} schema={schema} direction={direction} level={0} />
      </div>
    );
  });
}

export function RequestBody({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const body = resolveLocal(apiContext.document, getOwnProperty(apiContext.part.operation, 'requestBody'));
  if (!isObject(body)) return null;
  return (
    <Section
      apiContext={apiContext}
      name="body"
      title={apiContext.part.kind === 'webhook' ? apiContext.texts.payload : apiContext.texts.body}
    >
      <Prose text={getTextAt(body, 'description')} apiContext={apiContext} />
      <Media
        apiContext={apiContext}
        media={getMedia(body)}
        direction="request"
        isRequired={getOwnProperty(body, 'required') === true && apiContext.part.kind === 'operation'}
      />
    </Section>
  );
}

/** Models and their fields. */
export function Models({
  apiContext,
  part: { models },
}: {
  apiContext: ApiReferenceContext;
  part: ModelsPart;
}): ComponentChildren {
  const isSingle = models.length === 1;
  const allocateName = createSlugAllocator();
  return models.map(({ name, schema }) => {
    const resolved = apiContext.schemas.read(schema);
    return (
      <div class="model">
        {!isSingle && (
          <Title id={`${apiContext.reference.id}~${allocateName(slugify(name) || 'model')}`} level={apiContext.level}>
            {name}
          </Title>
        )}
        <p class="field-name">
          {isSingle && apiContext.reference.title !== name && <code>{name}</code>}
          <span class="field-type">{formatType(apiContext.schemas, { ...resolved, name: undefined })}</span>
        </p>
        <Prose text={getTextAt(resolved.value, 'description')} apiContext={apiContext} />
        <Constraints apiContext={apiContext} schema={resolved} />
        <FieldList apiContext={apiContext} schema={resolved} direction={undefined} level={0} />
      </div>
    );
  });
}
