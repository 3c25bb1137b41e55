import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1';
import { checkValues } from './check-values.ts';
import {
  getObjectAt,
  getOwnProperty,
  isObject,
  type JsonObject,
  type OpenAPIDocument,
  SpecificationFault,
} from './document.ts';
import { getEntries, type SpecificationEntry } from './entry-list.ts';
import { addSubtypeMappings } from './name-subtypes.ts';
import { decodeText, parseText, type SpecificationFormat } from './parse-text.ts';

interface Specification {
  format: SpecificationFormat;
  /** The document as OpenAPI 3.0 or 3.1. Undefined if the text itself is this document. */
  document: OpenAPIDocument | undefined;
  entries: SpecificationEntry[];
}

/** The first byte of a byte order mark, which no JSON starts with. */
const byteOrderMark = 0xef;
/** Maximum number of values of an upgraded document. It is low because the upgrade copies every value several times. */
const maxUpgradedValues = 300_000;

/**
 * Reads a specification in JSON or YAML: Swagger 2.0, OpenAPI 3.0 or 3.1. Local references are kept; references to
 * other documents are rejected. `pause` yields between steps. @throws SpecificationFault
 */
export async function readSpecification(bytes: Uint8Array, pause: () => Promise<unknown>): Promise<Specification> {
  const text = decodeText(bytes);
  const isMarked = bytes[0] === byteOrderMark;
  await pause();
  const { format, value } = parseText(text);
  await pause();
  if (!isObject(value))
    throw new SpecificationFault('The specification must be an object with a field openapi or swagger.');
  const isUpgraded = requireVersion(value) === 'swagger';
  const values = checkValues(value);
  if (isUpgraded && values > maxUpgradedValues)
    throw new SpecificationFault('The Swagger 2.0 specification has too many values.');
  requireParts(value, isUpgraded);
  await pause();
  const document = isUpgraded ? upgrade(value) : (value as OpenAPIDocument);
  await pause();
  const entries = getEntries(document);
  const isText = !addSubtypeMappings(document) && format === 'json' && !isUpgraded && !isMarked;
  return { format, document: isText ? undefined : document, entries };
}

/** Returns the version of a specification. @throws SpecificationFault if it is not supported */
function requireVersion(document: JsonObject): 'swagger' | 'openapi' {
  const [swagger, openapi] = [getOwnProperty(document, 'swagger'), getOwnProperty(document, 'openapi')].map(
    (version) => (typeof version === 'number' ? version.toFixed(1) : version),
  );
  if (swagger === '2.0') return 'swagger';
  if (typeof openapi === 'string' && /^3\.[01](?:\.|$)/.test(openapi)) return 'openapi';
  const version = swagger ?? openapi;
  if (version === undefined)
    throw new SpecificationFault('The specification has no version: the field openapi or swagger is missing.');
  const versionText = typeof version === 'string' ? version.slice(0, 50) : 'of the specification';
  throw new SpecificationFault(`The version ${versionText} is not supported. Use Swagger 2.0, OpenAPI 3.0 or 3.1.`);
}

/** @throws SpecificationFault */
function requireParts(document: JsonObject, isSwagger: boolean): void {
  getObjectAt(document, 'info');
  const parts = isSwagger ? ['paths'] : ['paths', 'webhooks', 'x-webhooks', 'components'];
  const presentParts = parts.filter((part) => Object.keys(getObjectAt(document, part)).length > 0);
  const mayBeEmpty = isObject(getOwnProperty(document, 'paths'));
  if (presentParts.length === 0 && !mayBeEmpty) throw new SpecificationFault(`The specification has no ${parts[0]}.`);
}

function upgrade(document: JsonObject): OpenAPIDocument {
  try {
    return upgradeFromThreeToThreeOne(upgradeFromTwoToThree(document)) as unknown as OpenAPIDocument;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SpecificationFault(`The specification could not be converted from Swagger 2.0 to OpenAPI 3.1: ${reason}`);
  }
}
