import { slugAllocator, slugify } from '@octavo/markdown';
import type { JsonObject } from '@octavo/specification';
import { getOwn, isObject, resolveLocal, textAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { OperationDrawing, ReferenceDrawing } from './drawn-reference.tsx';
import { Prose, Section, Title } from './drawn-reference.tsx';
import type { ModelsPart, OperationPart } from './parts.ts';
import type { FieldOfSchema, MediaOfBody, SampleDirection, SchemaAt } from './schema.ts';
import { fieldsOf, listAt, mediaOf, plain, typeText } from './schema.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

const maxLevels = 8;
const maxNameLength = 200;

interface Inside {
  from: ReferenceDrawing;
  schema: SchemaAt;
  /**
   * Whether it is part of a request or a response; fields that only the other has are omitted. Models show all fields.
   */
  direction: SampleDirection | undefined;
  level: number;
}

/** A named field of an object, or a parameter. */
interface FieldProps extends Omit<Inside, 'level'> {
  name: string;
  isAnyName?: boolean;
  isRequired: boolean;
  isDeprecated?: boolean;
  /** Description at the place of use, which takes precedence over the schema's. */
  description?: string | undefined;
  level?: number;
}

export function Field({
  from,
  name,
  schema,
  isAnyName,
  isRequired,
  level = 0,
  ...more
}: FieldProps): ComponentChildren {
  const { texts } = from;
  const { value } = schema;
  const isDeprecated = more.isDeprecated === true || getOwn(value, 'deprecated') === true;
  return (
    <li class="field">
      <p class="field-name">
        {isAnyName ? <em>{name === '*' ? texts.anyName : name}</em> : <code>{name.slice(0, maxNameLength)}</code>}
        <span class="field-type">{typeText(from.schemas, schema)}</span>
        {isRequired && <span class="required">{texts.required}</span>}
        {isDeprecated && <span class="tag">{texts.deprecated}</span>}
        {more.direction !== 'response' && getOwn(value, 'readOnly') === true && (
          <span class="tag">{texts.readOnly}</span>
        )}
        {more.direction !== 'request' && getOwn(value, 'writeOnly') === true && (
          <span class="tag">{texts.writeOnly}</span>
        )}
      </p>
      <Prose text={more.description ?? textAt(value, 'description')} from={from} />
      <Constraints value={value} texts={texts} />
      <Within from={from} schema={schema} direction={more.direction} level={level} />
    </li>
  );
}

/** The nested fields of a field, collapsed. */
function Within({ from, schema, direction, level }: Inside): ComponentChildren {
  const inner = from.schemas.withoutLists(schema);
  if (inner.isWithinItself || level >= maxLevels || !hasParts(from, inner)) return null;
  return (
    <details class="within">
      <summary>
        {from.texts.fields}
        {inner.name !== undefined && (
          <>
            {' '}
            <code>{inner.name}</code>
          </>
        )}
      </summary>
      <Parts from={from} schema={inner} direction={direction} level={level + 1} />
    </details>
  );
}

const hasParts = ({ schemas }: ReferenceDrawing, inner: SchemaAt): boolean => {
  const { variants } = schemas.variantsOf(inner);
  return fieldsOf(inner).length > 0 || variants.some((each) => fieldsOf(schemas.withoutLists(each)).length > 0);
};

/** The fields and variants of a schema. */
function Parts({ from, schema, direction, level }: Inside): ComponentChildren {
  const inner = from.schemas.withoutLists(schema);
  const { isOne, variants } = inner.isWithinItself ? { isOne: false, variants: [] } : from.schemas.variantsOf(inner);
  const hidden = direction === 'request' ? 'readOnly' : direction === 'response' ? 'writeOnly' : '';
  const isShown = ({ schema: each }: FieldOfSchema) => !isObject(each) || getOwn(each, hidden) !== true;
  const fields = inner.isWithinItself ? [] : fieldsOf(inner).filter(isShown);
  const kept = fields.filter(() => from.budget.take('rows'));
  return (
    <>
      {kept.length > 0 && (
        <ul class="fields">
          {kept.map(({ name, schema: each, isAnyName, isRequired }) => (
            <Field
              from={from}
              schema={from.schemas.read(each, inner.trail)}
              {...{ name, isAnyName, isRequired, direction, level }}
            />
          ))}
        </ul>
      )}
      {fields.length > kept.length && <p class="more">{`+${fields.length - kept.length}`}</p>}
      {variants.length > 0 && level < maxLevels && (
        <div class="variants">
          <p>{isOne ? from.texts.oneOf : from.texts.anyOf}</p>
          {variants
            .filter(() => from.budget.take('rows'))
            .map((each) => (
              <Variant from={from} schema={each} direction={direction} level={level + 1} />
            ))}
        </div>
      )}
    </>
  );
}

function Variant({ from, schema, direction, level }: Inside): ComponentChildren {
  const { value } = schema;
  const [title, type] = [textAt(value, 'title'), typeText(from.schemas, schema)];
  const inner = from.schemas.withoutLists(schema);
  const said = (
    <>
      {title !== undefined && title !== type && `${title} `}
      <code>{type}</code>
    </>
  );
  const rest = (
    <>
      <Prose text={textAt(value, 'description')} from={from} />
      <Constraints value={value} texts={from.texts} />
    </>
  );
  if (inner.isWithinItself || !hasParts(from, inner))
    return (
      <div class="variant">
        <p>{said}</p>
        {rest}
      </div>
    );
  return (
    <details class="within">
      <summary>{said}</summary>
      {rest}
      <Parts from={from} schema={inner} direction={direction} level={level} />
    </details>
  );
}

const maxValues = 40;
const maxLength = 200;

const shown = (value: unknown): string => {
  const text = plain(value);
  if (text === '') return '""';
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
};

const Values = ({ values }: { values: unknown[] }): ComponentChildren => (
  <>
    {values.slice(0, maxValues).map((each) => (
      <>
        <code>{shown(each)}</code>{' '}
      </>
    ))}
    {values.length > maxValues && `+${values.length - maxValues}`}
  </>
);

/** Formats two bounds as one text, or undefined if neither is set. */
function range(value: JsonObject, least: string, most: string): string | undefined {
  const [from, to] = [getOwn(value, least), getOwn(value, most)];
  const [low, high] = [typeof from === 'number' ? from : undefined, typeof to === 'number' ? to : undefined];
  if (low !== undefined && high !== undefined) return low === high ? `${low}` : `${low} – ${high}`;
  return low !== undefined ? `≥ ${low}` : high !== undefined ? `≤ ${high}` : undefined;
}

/** Other constraints of a value, and its default. */
function Constraints({ value, texts }: { value: JsonObject; texts: ReferenceTexts }): ComponentChildren {
  const lists: [string, unknown[]][] = [
    [texts.allowed, listAt(value, 'enum')],
    [texts.always, ['const'].map((key) => getOwn(value, key))],
    [texts.default, ['default'].map((key) => getOwn(value, key))],
    [texts.example, [getOwn(value, 'example') ?? listAt(value, 'examples')[0]]],
    [texts.pattern, [getOwn(value, 'pattern')]],
    [texts.multipleOf, [getOwn(value, 'multipleOf')]],
  ];
  const facts: [string, unknown[]][] = [
    [texts.range, [range(value, 'minimum', 'maximum')]],
    [texts.range, [range(value, 'exclusiveMinimum', 'exclusiveMaximum')]],
    [texts.length, [range(value, 'minLength', 'maxLength')]],
    [texts.items, [range(value, 'minItems', 'maxItems')]],
  ];
  const all = [...lists, ...facts].flatMap(([name, values]) => {
    const there = values.filter((each) => each !== undefined);
    return there.length === 0 ? [] : [{ name, there }];
  });
  if (all.length === 0) return null;
  return (
    <ul class="constraints">
      {all.map(({ name, there }) => (
        <li>
          <span>{name}</span> <Values values={there} />
        </li>
      ))}
    </ul>
  );
}

export const parameterPlaces = ['path', 'query', 'header', 'cookie'] as const;

export interface OperationParameter {
  place: (typeof parameterPlaces)[number];
  name: string;
  value: JsonObject;
  schema: unknown;
  isRequired: boolean;
}

const maxParameters = 500;
/** Headers that other parts of an operation describe. */
const elsewhere = new Set(['accept', 'content-type', 'authorization']);

/** Returns the parameters of an operation and its path. The operation's own take precedence. */
export function parametersOf(document: JsonObject, { item, operation }: OperationPart): OperationParameter[] {
  const found = new Map<string, OperationParameter>();
  for (const given of [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')].slice(0, maxParameters)) {
    const value = resolveLocal(document, given);
    const name = isObject(value) ? textAt(value, 'name') : undefined;
    const place = isObject(value) ? parameterPlaces.find((each) => each === getOwn(value, 'in')) : undefined;
    if (!isObject(value) || name === undefined || place === undefined) continue;
    if (place === 'header' && elsewhere.has(name.toLowerCase())) continue;
    const schema = getOwn(value, 'schema') ?? mediaOf(value)[0]?.media.schema;
    const isRequired = place === 'path' || getOwn(value, 'required') === true;
    found.set(`${place} ${name}`, { place, name, value, schema, isRequired });
  }
  return [...found.values()];
}

/** The parameters of an operation, grouped by location. */
export function Parameters({ from }: { from: OperationDrawing }): ComponentChildren {
  const all = parametersOf(from.document, from.part);
  return parameterPlaces.map((place) => {
    const there = all.filter((each) => each.place === place && from.budget.take('rows'));
    if (there.length === 0) return null;
    return (
      <Section from={from} name={place} title={from.texts[place]}>
        <ul class="fields">
          {[...there.filter((each) => each.isRequired), ...there.filter((each) => !each.isRequired)].map(
            ({ name, value, schema, isRequired }) => (
              <Field
                from={from}
                name={name}
                schema={withExample(from, value, schema)}
                direction="request"
                isRequired={isRequired}
                isDeprecated={getOwn(value, 'deprecated') === true}
                description={textAt(value, 'description')}
              />
            ),
          )}
        </ul>
      </Section>
    );
  });
}

/** A parameter's own example takes precedence over its schema's. */
function withExample({ schemas }: OperationDrawing, value: JsonObject, schema: unknown) {
  const read = schemas.read(schema);
  const example = getOwn(value, 'example');
  return example === undefined ? read : { ...read, value: { ...read.value, example } };
}

interface Props {
  from: ReferenceDrawing;
  media: MediaOfBody[];
  direction: SampleDirection;
  isRequired?: boolean;
}

/** A body in each of its media types. Types with the same schema are grouped. */
export function Media({ from, media, direction, isRequired = false }: Props): ComponentChildren {
  const groups = Map.groupBy(media, (each) => JSON.stringify(getOwn(each.media, 'schema') ?? null));
  return [...groups.values()].map((group) => {
    const schema = from.schemas.read(group[0]?.media.schema);
    return (
      <div class="media">
        <p class="field-name">
          {group.map(({ type }) => (
            <code>{type}</code>
          ))}
          <span class="field-type">{typeText(from.schemas, schema)}</span>
          {isRequired && <span class="required">{from.texts.required}</span>}
        </p>
        <Prose text={textAt(schema.value, 'description')} from={from} />
        <Constraints value={schema.value} texts={from.texts} />
        <Parts from={from} schema={schema} direction={direction} level={0} />
      </div>
    );
  });
}

export function RequestBody({ from }: { from: OperationDrawing }): ComponentChildren {
  const body = resolveLocal(from.document, getOwn(from.part.operation, 'requestBody'));
  if (!isObject(body)) return null;
  return (
    <Section from={from} name="body" title={from.part.kind === 'webhook' ? from.texts.payload : from.texts.body}>
      <Prose text={textAt(body, 'description')} from={from} />
      <Media
        from={from}
        media={mediaOf(body)}
        direction="request"
        isRequired={getOwn(body, 'required') === true && from.part.kind === 'operation'}
      />
    </Section>
  );
}

/** Models and their fields. */
export function Models({ from, part: { models } }: { from: ReferenceDrawing; part: ModelsPart }): ComponentChildren {
  const isAlone = models.length === 1;
  const nameOf = slugAllocator();
  return models.map(({ name, schema }) => {
    const read = from.schemas.read(schema);
    return (
      <div class="model">
        {!isAlone && (
          <Title id={`${from.of.id}~${nameOf(slugify(name) || 'model')}`} level={from.level}>
            {name}
          </Title>
        )}
        <p class="field-name">
          {isAlone && from.of.title !== name && <code>{name}</code>}
          <span class="field-type">{typeText(from.schemas, { ...read, name: undefined })}</span>
        </p>
        <Prose text={textAt(read.value, 'description')} from={from} />
        <Constraints value={read.value} texts={from.texts} />
        <Parts from={from} schema={read} direction={undefined} level={0} />
      </div>
    );
  });
}
