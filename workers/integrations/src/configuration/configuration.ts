import { Validator } from '@cfworker/json-schema';
import type { Check, InstallationRecord } from '@octavo/db';
import { seal, unseal } from '@octavo/runtime';
import type {
  ConfigurationProperty,
  InstallationConfiguration,
  InstallationStatus,
  IntegrationConfiguration,
  Issue,
} from '@octavo/schema';
import { conflict, invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';

/** What is asked for as a list of properties; undefined where any object will do. */
type Asked = Extract<IntegrationConfiguration, { properties: unknown }> | undefined;

/** What an integration asks for at one of the places that it is installed at, if anything. */
type AskedConfiguration = IntegrationConfiguration | undefined;

const askedBy = (configuration: AskedConfiguration): Asked =>
  configuration !== undefined && 'properties' in configuration ? configuration : undefined;

const propertyOf = (asked: Asked, name: string): ConfigurationProperty | undefined =>
  asked !== undefined && Object.hasOwn(asked.properties, name) ? asked.properties[name] : undefined;

/** The value that a property takes: what a button leads to is set by the integration, and may be of any kind. */
function valueSchema(property: ConfigurationProperty): object {
  if (property.type === 'button') return {};
  if (property.type !== 'string' || property.enum === undefined) return { type: property.type };
  return { type: 'string', enum: property.enum };
}

function faultOf(property: ConfigurationProperty | undefined, given: unknown, byPeople: boolean): string | undefined {
  if (property === undefined) return 'is no property of the configuration of this integration';
  // It clears what is kept.
  if (given === null) return undefined;
  if (property.type === 'button' && byPeople) return 'is set by the integration alone, by what its button leads to';
  const { valid, errors } = new Validator(valueSchema(property), '2020-12').validate(given);
  return valid ? undefined : errors.map(({ error }) => error).join(' ');
}

/** @throws ApiError invalid, naming each property that the integration does not know, that has another type or is not for people to set. */
function checkConfiguration(asked: Asked, value: InstallationConfiguration, byPeople: boolean): void {
  if (asked === undefined) return;
  const issues = Object.entries(value).flatMap(([name, given]): Issue[] => {
    const message = faultOf(propertyOf(asked, name), given, byPeople);
    return message === undefined ? [] : [{ path: `body.configuration.${name}`, message }];
  });
  if (issues.length > 0) throw invalid(issues);
}

/** What is set where nobody has set anything. */
export function defaultConfiguration(configuration: AskedConfiguration): KeptConfiguration {
  const properties = Object.entries(askedBy(configuration)?.properties ?? {});
  const values = Object.fromEntries(
    properties.flatMap(([name, property]) =>
      'default' in property && property.default !== undefined ? [[name, property.default]] : [],
    ),
  );
  return { values, hidden: {} };
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Active as soon as all that is required is set; what nobody can set, for there is no such property, is not. */
export function statusWith(configuration: AskedConfiguration, { values }: KeptConfiguration): InstallationStatus {
  const asked = askedBy(configuration);
  const needed = (asked?.required ?? []).filter((name) => propertyOf(asked, name) !== undefined);
  return needed.every((name) => Object.hasOwn(values, name) && isSet(values[name])) ? 'active' : 'pending';
}

/** From whom a value is hidden: a secret from everybody, what a button led to from people. */
function hiddenAs(asked: Asked, name: string): 'secret' | 'button' | undefined {
  const property = propertyOf(asked, name);
  if (property?.type === 'button') return 'button';
  return property?.type === 'string' && property.secret === true ? 'secret' : undefined;
}

/** What was hidden when it was set stays so, whatever a later version says of it. */
function isHidden(asked: Asked, { hidden }: KeptConfiguration, name: string, fromPeople: boolean): boolean {
  const ways = [hiddenAs(asked, name), Object.hasOwn(hidden, name) ? hidden[name] : undefined];
  return ways.includes('secret') || (fromPeople && ways.includes('button'));
}

/**
 * The configuration as it can be sent back: without what is never shown again, and what the integration does not know any
 * more. People are not shown what a button of the integration led to either.
 */
export function shownConfiguration(
  configuration: AskedConfiguration,
  kept: KeptConfiguration,
  toPeople: boolean,
): InstallationConfiguration {
  const asked = askedBy(configuration);
  return Object.fromEntries(
    Object.entries(kept.values).filter(
      ([name]) =>
        (asked === undefined || propertyOf(asked, name) !== undefined) && !isHidden(asked, kept, name, toPeople),
    ),
  );
}

/**
 * What a change leaves: the new configuration over the defaults, with what it could not have said since it is not shown.
 * Of that it clears what it says to be null. @throws ApiError invalid
 */
export function changedConfiguration(
  configuration: AskedConfiguration,
  { before, after, byPeople }: { before: KeptConfiguration; after: InstallationConfiguration; byPeople: boolean },
): KeptConfiguration {
  const asked = askedBy(configuration);
  checkConfiguration(asked, after, byPeople);
  const isKnown = (name: string) => asked === undefined || propertyOf(asked, name) !== undefined;
  const carried = Object.entries(before.values).filter(
    ([name]) => isKnown(name) && !Object.hasOwn(after, name) && isHidden(asked, before, name, byPeople),
  );
  const isCleared = (name: string) => asked !== undefined || Object.hasOwn(before.hidden, name);
  const given = Object.entries(after).filter(([name, value]) => value !== null || !isCleared(name));
  const ways = [
    ...given.map(([name]) => [name, hiddenAs(asked, name)] as const),
    ...carried.map(([name]) => [name, before.hidden[name] ?? hiddenAs(asked, name)] as const),
  ];
  return {
    values: { ...defaultConfiguration(configuration).values, ...Object.fromEntries([...carried, ...given]) },
    hidden: Object.fromEntries(ways.flatMap(([name, way]) => (way === undefined ? [] : [[name, way]]))),
  };
}

/** The configuration of an installation as it is kept. */
interface KeptConfiguration {
  values: InstallationConfiguration;
  /** As what they are hidden, of those that were hidden when they were set. */
  hidden: Record<string, 'secret' | 'button'>;
}

/** Sealed for the id of an installation, or for a place of it. */
export const sealConfiguration = (
  env: IntegrationsEnvironment,
  owner: string,
  { values, hidden }: KeptConfiguration,
): Promise<string> => seal(env, owner, [values, hidden]);

/** What was sealed before hidden values were told apart is the values alone. */
export async function readConfiguration(
  env: IntegrationsEnvironment,
  owner: string,
  sealed: string,
): Promise<KeptConfiguration> {
  const kept = await unseal(env, owner, sealed);
  if (!Array.isArray(kept)) return { values: kept as InstallationConfiguration, hidden: {} };
  const [values, hidden] = kept as [KeptConfiguration['values'], KeptConfiguration['hidden']];
  return { values, hidden };
}

/** A configuration as it is kept after a change: what is the same stays as it is sealed. */
export const resealed = (
  env: IntegrationsEnvironment,
  owner: string,
  { sealed, before, after }: { sealed: string; before: KeptConfiguration; after: KeptConfiguration },
): Promise<string> | string =>
  JSON.stringify(before) === JSON.stringify(after) ? sealed : sealConfiguration(env, owner, after);

/**
 * That the version stands by which a configuration was held to be complete: what is pending is looked at after each new
 * version, and would stay so if it were written behind that look.
 */
export const sameVersion = ({ name, version }: Pick<InstallationRecord['integration'], 'name' | 'version'>): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM integrations WHERE name = ${name} AND version = ${version})`,
  otherwise: () => conflict('Another version of the integration was published meanwhile: try again.'),
});
