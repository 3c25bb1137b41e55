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

/** The declared properties, or undefined if any object is accepted. */
type DeclaredProperties = Extract<IntegrationConfiguration, { properties: unknown }> | undefined;

/** The configuration that an integration declares for an account, a space or a site. */
type DeclaredConfiguration = IntegrationConfiguration | undefined;

const getDeclaredProperties = (configuration: DeclaredConfiguration): DeclaredProperties =>
  configuration !== undefined && 'properties' in configuration ? configuration : undefined;

const getProperty = (properties: DeclaredProperties, name: string): ConfigurationProperty | undefined =>
  properties !== undefined && Object.hasOwn(properties.properties, name) ? properties.properties[name] : undefined;

/**
 * Returns the JSON schema of a property's value. The value of a button is set by the integration and can have any type.
 */
function createValueSchema(property: ConfigurationProperty): object {
  if (property.type === 'button') return {};
  if (property.type !== 'string' || property.enum === undefined) return { type: property.type };
  return { type: 'string', enum: property.enum };
}

function findFault(
  property: ConfigurationProperty | undefined,
  value: unknown,
  isByPerson: boolean,
): string | undefined {
  if (property === undefined) return 'is not a configuration property of this integration';
  // Null clears the stored value of a property.
  if (value === null) return undefined;
  if (property.type === 'button' && isByPerson) return 'is a button, whose value only the integration can set';
  const { valid } = new Validator(createValueSchema(property), '2020-12').validate(value);
  return valid ? undefined : describeValues(property);
}

function describeValues(property: ConfigurationProperty): string {
  if (property.type === 'boolean') return 'must be true or false';
  if (property.type === 'string' && property.enum !== undefined) return `must be one of: ${property.enum.join(', ')}`;
  return `must be a ${property.type}`;
}

/**
 * Rejects properties that are unknown, that have the wrong type, or that people may not set.
 * @throws ApiError invalid, with an issue for each property
 */
function checkConfiguration(
  properties: DeclaredProperties,
  value: InstallationConfiguration,
  isByPerson: boolean,
): void {
  if (properties === undefined) return;
  const issues = Object.entries(value).flatMap(([name, propertyValue]): Issue[] => {
    const message = findFault(getProperty(properties, name), propertyValue, isByPerson);
    return message === undefined ? [] : [{ path: `body.configuration.${name}`, message }];
  });
  if (issues.length > 0) throw invalid(issues);
}

/** Returns the default values. */
export function createDefaultConfiguration(configuration: DeclaredConfiguration): StoredConfiguration {
  const properties = Object.entries(getDeclaredProperties(configuration)?.properties ?? {});
  const values = Object.fromEntries(
    properties.flatMap(([name, property]) =>
      'default' in property && property.default !== undefined ? [[name, property.default]] : [],
    ),
  );
  return { values, hidden: {} };
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/**
 * Returns `active` if all required properties are set. Required names that are not declared as properties are ignored.
 */
export function getStatus(configuration: DeclaredConfiguration, { values }: StoredConfiguration): InstallationStatus {
  const properties = getDeclaredProperties(configuration);
  const requiredNames = (properties?.required ?? []).filter((name) => getProperty(properties, name) !== undefined);
  return requiredNames.every((name) => Object.hasOwn(values, name) && isSet(values[name])) ? 'active' : 'pending';
}

/** Secrets are hidden from everyone, button values from people only. */
function getHiddenKind(properties: DeclaredProperties, name: string): 'secret' | 'button' | undefined {
  const property = getProperty(properties, name);
  if (property?.type === 'button') return 'button';
  return property?.type === 'string' && property.secret === true ? 'secret' : undefined;
}

/** A value that was hidden when it was set stays hidden, whatever later versions declare. */
function isHidden(
  properties: DeclaredProperties,
  { hidden }: StoredConfiguration,
  name: string,
  fromPeople: boolean,
): boolean {
  const hiddenKinds = [getHiddenKind(properties, name), Object.hasOwn(hidden, name) ? hidden[name] : undefined];
  return hiddenKinds.includes('secret') || (fromPeople && hiddenKinds.includes('button'));
}

/** Returns the configuration without values that are hidden or no longer declared. People do not see button values. */
export function filterConfiguration(
  configuration: DeclaredConfiguration,
  stored: StoredConfiguration,
  toPeople: boolean,
): InstallationConfiguration {
  const properties = getDeclaredProperties(configuration);
  return Object.fromEntries(
    Object.entries(stored.values).filter(
      ([name]) =>
        (properties === undefined || getProperty(properties, name) !== undefined) &&
        !isHidden(properties, stored, name, toPeople),
    ),
  );
}

/**
 * Returns the configuration after a change: the defaults, overwritten by the new values. Hidden values that the caller
 * did not send are kept, because the caller cannot see them. Null clears a hidden value.
 * @throws ApiError invalid
 */
export function applyChanges(
  configuration: DeclaredConfiguration,
  { before, after, isByPerson }: { before: StoredConfiguration; after: InstallationConfiguration; isByPerson: boolean },
): StoredConfiguration {
  const properties = getDeclaredProperties(configuration);
  checkConfiguration(properties, after, isByPerson);
  const isKnown = (name: string) => properties === undefined || getProperty(properties, name) !== undefined;
  const carried = Object.entries(before.values).filter(
    ([name]) => isKnown(name) && !Object.hasOwn(after, name) && isHidden(properties, before, name, isByPerson),
  );
  const isCleared = (name: string) => properties !== undefined || Object.hasOwn(before.hidden, name);
  const entries = Object.entries(after).filter(([name, value]) => value !== null || !isCleared(name));
  const hiddenKinds = [
    ...entries.map(([name]) => [name, getHiddenKind(properties, name)] as const),
    ...carried.map(([name]) => [name, before.hidden[name] ?? getHiddenKind(properties, name)] as const),
  ];
  return {
    values: { ...createDefaultConfiguration(configuration).values, ...Object.fromEntries([...carried, ...entries]) },
    hidden: Object.fromEntries(
      hiddenKinds.flatMap(([name, hiddenKind]) => (hiddenKind === undefined ? [] : [[name, hiddenKind]])),
    ),
  };
}

/** The stored configuration of an installation. */
interface StoredConfiguration {
  values: InstallationConfiguration;
  /** Names of hidden values, with the reason why they were hidden when they were set. */
  hidden: Record<string, 'secret' | 'button'>;
}

/** Seals a configuration. `owner` is the id of an installation, or the result of `getSealOwner`. */
export const sealConfiguration = (
  env: IntegrationsEnvironment,
  owner: string,
  { values, hidden }: StoredConfiguration,
): Promise<string> => seal(env, owner, [values, hidden]);

/** Configurations that were sealed before `hidden` was added consist of the values only. */
export async function readConfiguration(
  env: IntegrationsEnvironment,
  owner: string,
  sealedText: string,
): Promise<StoredConfiguration> {
  const unsealed = await unseal(env, owner, sealedText);
  if (!Array.isArray(unsealed)) return { values: unsealed as InstallationConfiguration, hidden: {} };
  const [values, hidden] = unsealed as [StoredConfiguration['values'], StoredConfiguration['hidden']];
  return { values, hidden };
}

/** Returns the sealed configuration after a change; an unchanged one is not sealed again. */
export const resealConfiguration = (
  env: IntegrationsEnvironment,
  owner: string,
  { sealedText, before, after }: { sealedText: string; before: StoredConfiguration; after: StoredConfiguration },
): Promise<string> | string =>
  JSON.stringify(before) === JSON.stringify(after) ? sealedText : sealConfiguration(env, owner, after);

/**
 * Checks that the version which decided whether the configuration is complete is still published. Pending installations
 * are reviewed once after each new version, and would miss a later write.
 */
export const requireSameVersion = ({
  name,
  version,
}: Pick<InstallationRecord['integration'], 'name' | 'version'>): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM integrations WHERE name = ${name} AND version = ${version})`,
  createError: () => conflict('Another version of the integration was published in the meantime. Try again.'),
});
