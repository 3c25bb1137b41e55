export { backUp } from './back-up.ts';
export { addBackup } from './backup-series.ts';
export {
  buildPlatform,
  fillBundle,
  findConfigFiles,
  runWranglerCommand,
  serverBundle,
  serverFlags,
  wranglerProgram,
  wranglerVariables,
} from './build.ts';
export { contributors } from './build-ids.ts';
export { getDevFile, getMailFolder } from './data-folder.ts';
export {
  getDirectoryKeyFile,
  getSecretFile,
  readSecretFile,
  type SecretFile,
  writeSecretFile,
} from './deploy-secrets.ts';
export {
  checkSettings,
  type DeploySettings,
  fields,
  findProblem,
  listCells,
  placeholder,
  readDeploySettings,
  regions,
} from './deploy-settings.ts';
export { type DiskLimits, defaultDiskLimits } from './disk-space.ts';
export { type CopiedInstallation, exportInstallation, type Pause } from './export-installation.ts';
export { cancelImport, importInstallation } from './import-installation.ts';
export { findWorkerd, readWranglerConfiguration, type WranglerConfiguration } from './local-runtime.ts';
export { toDisplayHost } from './mail-server.ts';
export {
  DIRECTORY_WORKER,
  hasOwnBundleOnMachine,
  RENDER_WORKER,
  runsOnlyOnMachine,
} from './manifest.ts';
export type { CallOperator, CheckedChunk, ListedJob, OperatorResponses } from './operator-client.ts';
export { callOperator } from './operator-client.ts';
export { PlatformError } from './platform-error.ts';
export { createRemoteOperator, readDeployment } from './remote-operator.ts';
export { getFormerFolder, restore, undoRestore } from './restore.ts';
export type { Platform } from './start.ts';
export { startPlatform } from './start.ts';
export { startDirectory } from './start-directory.ts';
export { rollBack, upgrade } from './upgrade.ts';
export { withOperator } from './with-operator.ts';
