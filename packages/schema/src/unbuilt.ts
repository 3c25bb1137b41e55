/** The operations that are promised but not built yet: they answer 501. This list only shrinks, and ends empty. */
const operations = [
  'listIntegrations',
  'getIntegrationByName',
  'publishIntegration',
  'unpublishIntegration',
  'listIntegrationInstallations',
] as const;

export type Unbuilt = (typeof operations)[number];

export const unbuilt: ReadonlySet<string> = new Set(operations);
