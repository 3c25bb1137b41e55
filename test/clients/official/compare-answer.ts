import type { Form, OpenApi, Schema } from './forms.ts';
import { findFormsMissingLeast, getForms, getValues, isObject } from './forms.ts';

interface Described {
  document: OpenApi;
  schema: Schema;
}

interface Ours extends Described {
  /** Whether a field is omitted on purpose. */
  isLeftOut: (place: string) => boolean;
}

/**
 * Returns the fields that the official description requires but the response lacks, by schema name of our description.
 */
export function listMissingFields(value: unknown, official: Described, ours: Ours, place: string): string[] {
  const our = getForms(ours.document, ours.schema, place).find((form) =>
    matchesForm(form, value, { ...ours, isLeftOut: () => false }),
  );
  const theirs = getForms(official.document, official.schema, place);
  if (our === undefined) return [];
  if (Array.isArray(value)) {
    const [items, ourItems] = [theirs.find((form) => form.items)?.items, our.items];
    if (items === undefined || ourItems === undefined) return [];
    return value.flatMap((each) =>
      listMissingFields(each, { ...official, schema: items }, { ...ours, schema: ourItems }, `${place}[]`),
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  const objects = theirs.filter(isObject);
  if (Object.keys(fields).length === 0 && theirs.some((form) => isEmpty(form))) return [];
  const isLeftOut = (field: string) => ours.isLeftOut(`${our.name}.${field}`);
  const fitting = objects.filter((form) => matchesForm(form, value, { ...official, isLeftOut }));
  const [form] = findFormsMissingLeast(fitting, (field) => fields[field] !== undefined);
  if (form === undefined) return objects.length === 0 ? [] : [`${our.name} is none of the forms that are known`];
  const missing = [...form.required].filter((field) => fields[field] === undefined && !isLeftOut(field));
  const inside = Object.entries(fields).flatMap(([field, each]) => {
    const [their, mine] = [form.fields.get(field), our.fields.get(field)];
    if (their === undefined || mine === undefined || isLeftOut(field)) return [];
    return listMissingFields(each, { ...official, schema: their }, { ...ours, schema: mine }, `${our.name}.${field}`);
  });
  return [...missing.map((field) => `${our.name}.${field}`), ...inside];
}

/** Whether the form describes an object without declared fields. */
const isEmpty = (form: Form): boolean => form.types.includes('object') && !isObject(form);

interface Fitting {
  document: OpenApi;
  isLeftOut: (field: string) => boolean;
}

/** Whether a value can be of this form: none of its fields has a value that the form excludes. */
function matchesForm(form: Form, value: unknown, { document, isLeftOut }: Fitting): boolean {
  if (Array.isArray(value)) return form.items !== undefined;
  if (typeof value !== 'object' || value === null) return true;
  const fields = value as Record<string, unknown>;
  return (
    isObject(form) &&
    Object.entries(fields).every(
      ([field, each]) => isLeftOut(field) || (getValues(document, form, field)?.includes(each) ?? true),
    )
  );
}
