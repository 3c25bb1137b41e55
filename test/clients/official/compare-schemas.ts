import type { Form, OpenApi, Schema } from './forms.ts';
import { findFormsMissingLeast, getForms, getResponseSchemas, getValues, isObject } from './forms.ts';

/** Incompatibilities with clients of the official description, by location in our description. */
export type Faults = Map<string, string>;

interface Comparing {
  official: OpenApi;
  ours: OpenApi;
  /** Whether a field is omitted on purpose. The contents of such fields are not compared. */
  isLeftOut: (place: string) => boolean;
}

/** Compares the response schemas of the operations in both descriptions. */
export function compareSchemas(comparing: Comparing, operations: string[]): Faults {
  const theirs = getResponseSchemas(comparing.official);
  const ours = getResponseSchemas(comparing.ours);
  const comparison = new Comparison(comparing);
  for (const id of operations) {
    const [their, our] = [theirs.get(id), ours.get(id)];
    if (their !== undefined && our !== undefined) comparison.compare([their], our, id);
  }
  return comparison.faults;
}

class Comparison {
  readonly faults: Faults = new Map();
  readonly #comparing: Comparing;
  readonly #seen = new Set<string>();

  constructor(comparing: Comparing) {
    this.#comparing = comparing;
  }

  compare(theirs: Schema[], our: Schema, place: string): void {
    const key = JSON.stringify([theirs, our, our.$ref ?? place]);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const { official, ours } = this.#comparing;
    const allowed = theirs.flatMap((their) => getForms(official, their, place));
    const forms = getForms(ours, our, place);
    this.#compareValues(allowed, forms, place);
    const items = new Set(allowed.flatMap((form) => form.items ?? []));
    const ourItems = forms.find((form) => form.items)?.items;
    if (items.size > 0 && ourItems !== undefined) this.compare([...items], ourItems, `${place}[]`);
    const objects = { allowed: allowed.filter(isObject), given: forms.filter(isObject) };
    for (const form of objects.given) this.#compareFields(objects, form, place);
  }

  #compareFields({ allowed, given: all }: { allowed: Form[]; given: Form[] }, given: Form, around: string): void {
    const fitting = findFormsMissingLeast(
      allowed.filter((form) => this.#fits(form, given)),
      (field) => given.fields.has(field),
    );
    if (allowed.length > 0 && fitting.length === 0) this.faults.set(around, `may be ${given.name}, which is not known`);
    for (const field of new Set(fitting.flatMap(({ fields, required }) => [...fields.keys(), ...required]))) {
      const place = `${given.name}.${field}`;
      const isRequired = fitting.every(({ required }) => required.has(field));
      const our = given.fields.get(field);
      const isElsewhere = all.some((form) => form.fields.has(field));
      if (our === undefined && isRequired) this.faults.set(place, 'is required, and not there');
      else if (our === undefined && !isElsewhere) this.faults.set(place, 'is not there');
      else if (isRequired && !given.required.has(field)) this.faults.set(place, 'is required, and may be left out');
      const theirs = new Set(fitting.flatMap(({ fields }) => fields.get(field) ?? []));
      if (our === undefined || theirs.size === 0) continue;
      if (this.#comparing.isLeftOut(place)) this.#compareApart([...theirs], our, place);
      else this.compare([...theirs], our, place);
    }
  }

  /** Compares the schemas, and records all their differences as a single fault of `place`. */
  #compareApart(theirs: Schema[], our: Schema, place: string): void {
    const inside = new Comparison(this.#comparing);
    inside.compare(theirs, our, place);
    if (inside.faults.size > 0) this.faults.set(place, [...inside.faults].join('; '));
  }

  /** Whether two forms can describe the same object: for each field, the forms have allowed values in common. */
  #fits(form: Form, given: Form): boolean {
    const { official, ours, isLeftOut } = this.#comparing;
    return [...form.fields.keys()].every((field) => {
      if (isLeftOut(`${given.name}.${field}`)) return true;
      const [known, values] = [getValues(official, form, field), getValues(ours, given, field)];
      return known === undefined || values === undefined || values.some((value) => known.includes(value));
    });
  }

  #compareValues(allowed: Form[], given: Form[], place: string): void {
    const types = new Set(allowed.flatMap(getTypes));
    const strange = given.flatMap(getTypes).filter((type) => types.size > 0 && !types.has(type));
    if (strange.length > 0) this.faults.set(place, `may be ${strange.join()}, not only ${[...types].join()}`);
    const listed = allowed.filter((form) => !isObject(form));
    if (listed.length === 0 || listed.some(({ values }) => values === undefined)) return;
    const known = listed.flatMap(({ values = [] }) => values);
    const beyond = given.filter(isScalar).flatMap(getScalars);
    const strangers = beyond.filter((value) => !known.includes(value));
    if (strangers.length > 0) this.faults.set(place, `may be ${strangers.join()}, not only ${known.join()}`);
  }
}

/** Whether the form is a scalar: neither an object nor a schema that allows any value. */
const isScalar = (form: Form): boolean => !isObject(form) && getTypes(form).length > 0;

function getScalars({ types, values }: Form): unknown[] {
  if (values !== undefined) return values;
  return types.map((type) => (type === 'null' ? null : `any ${type}`));
}

function getTypes(form: Form): string[] {
  if (isObject(form)) return ['object'];
  const types =
    form.types.length > 0 ? form.types : (form.values ?? []).map((value) => (value === null ? 'null' : typeof value));
  return types.map((type) => (type === 'integer' ? 'number' : type));
}
