import type { Integration, IntegrationInstallation } from '@octavo/schema';

/** What somebody chose when the integration was installed, by the names in its manifest. */
export type Configuration = Record<string, unknown>;

/** An installation on one space or site. */
interface InstallationOnContent {
  integration: string;
  installation: string;
  status: 'active' | 'pending' | 'paused';
  configuration: Configuration;
  externalIds: string[];
}

/** What the platform gives a script at each call. */
export interface IntegrationEnvironment {
  /** Without `/v1`. */
  apiEndpoint: string;
  apiTokens: { integration: string; installation?: string };
  integration: Integration;
  installation?: IntegrationInstallation;
  spaceInstallation?: InstallationOnContent & { space: string };
  siteInstallation?: InstallationOnContent & { site: string };
  /** What the manifest names as secrets. */
  secrets: Record<string, string>;
  signingSecrets: { integration: string; installation?: string; spaceInstallation?: string; siteInstallation?: string };
}
