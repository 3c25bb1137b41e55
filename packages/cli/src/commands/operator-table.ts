import type { CommandTable } from './command.ts';

/**
 * The commands for the operator of an installation. They are imported on demand, because the platform packages that
 * they need are slow to load.
 */
export const operatorCommands: CommandTable = {
  token: async () => (await import('./operator.ts')).token,
  'admin create': async () => (await import('./operator.ts')).createAdmin,
  jobs: async () => (await import('./operator.ts')).jobs,
  'jobs replay': async () => (await import('./operator.ts')).replayJobs,
  metrics: async () => (await import('./operator.ts')).metrics,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./backup.ts')).restoreBackup,
  upgrade: async () => (await import('./backup.ts')).upgradeVersion,
  rollback: async () => (await import('./backup.ts')).rollBackVersion,
  doctor: async () => (await import('./operator.ts')).doctor,
  'search rebuild': async () => (await import('./operator.ts')).rebuildSearch,
};
