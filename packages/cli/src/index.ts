export { type Api, type Connection, connect } from './api.ts';
export { findConnection } from './connection.ts';
export { type ExportOptions, exportSpace } from './export/export-space.ts';
export { explainFailure, Failure } from './failure.ts';
export { type ImportOptions, type ImportReport, importFolder } from './import/import-folder.ts';
export { replay } from './replay/replay.ts';
export { createSpace, listOrganizations } from './spaces.ts';
