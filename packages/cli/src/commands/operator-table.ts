import type { CommandTable } from './command.ts';

/**
 * The commands for the operator of an installation. They are imported on demand, because the platform packages that
 * they need are slow to load.
 */
export const operatorCommands: CommandTable = {
  token: async () => (await import('./operator.ts')).token,
  'login-link': async () => (await import('./operator.ts')).loginLink,
  'admin create': async () => (await import('./operator.ts')).createAdmin,
  jobs: async () => (await import('./operator.ts')).jobs,
  'jobs replay': async () => (await import('./operator.ts')).replayJobs,
  'dead-letters': async () => (await import('./operator-health.ts')).deadLetters,
  'dead-letters retry': async () => (await import('./operator-health.ts')).retryLetters,
  'dead-letters delete': async () => (await import('./operator-health.ts')).deleteLetters,
  health: async () => (await import('./operator-health.ts')).health,
  metrics: async () => (await import('./operator.ts')).metrics,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./backup.ts')).restoreBackup,
  upgrade: async () => (await import('./backup.ts')).upgradeVersion,
  rollback: async () => (await import('./backup.ts')).rollBackVersion,
  'installation export': async () => (await import('./operator-installation.ts')).exportAll,
  'installation resume': async () => (await import('./operator-installation.ts')).resumeAll,
  'installation import': async () => (await import('./operator-installation.ts')).importAll,
  doctor: async () => (await import('./operator.ts')).doctor,
  'search rebuild': async () => (await import('./operator.ts')).rebuildSearch,
};
