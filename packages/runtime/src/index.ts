export { authorizeVisitor } from './authorize.ts';
export { commitEvents, commitStep, consume, handleEachMessage, type MessageFailures } from './consume.ts';
export type { ActorContext, BaseContext, Context, Handler, HandlerInput } from './context.ts';
export type { Background, Environment, Settings } from './environment.ts';
export {
  ExternalFetchError,
  type FetchedResource,
  type FetchLimits,
  fetchExternal,
  findAddressFault,
  findExternalAddressFault,
  postExternal,
} from './fetch-external.ts';
export {
  forward,
  InProcessWorker,
  type Route,
  type RouteMatch,
  RouteMatcher,
  readGatewayContext,
  requestIdHeader,
  takeCaller,
} from './forward.ts';
export { createHandlerFactory, type Handlers, implement } from './handle-request.ts';
export { deleteOldIdempotencyKeys, releaseClaims } from './idempotency.ts';
export { toJsonBytes } from './json-text.ts';
export { createMeteredService, runMeteredWork, type ServiceContext } from './metered.ts';
export { readMetrics } from './metrics.ts';
export {
  deleteInBatches,
  deleteSettledEvents,
  type EventHandlers,
  getRunNumber,
  handleEvent,
  handleEventGroups,
  handleNextEvent,
  isLastAttempt,
  maxAttempts,
  type OutboxEvent,
  resendSentBefore,
  sendEvents,
  settleEvent,
  sweepOutbox,
} from './outbox.ts';
export { makeFileUrlsPermanent } from './permanent-files.ts';
export {
  getShareKey,
  presentChangeRequest,
  presentCollection,
  presentMember,
  presentOrganization,
  presentSite,
  presentSpace,
  presentToStranger,
  presentToVisitor,
  presentUser,
} from './present.ts';
export {
  defaultMaxBodyBytes,
  discardBody,
  parseStrictJson,
  readBytes,
  readForm,
  readInput,
  requireUncompressed,
} from './request.ts';
export { type Area, countRequest } from './request-counts.ts';
export {
  addCost,
  bufferLog,
  type Constant,
  type Constants,
  createErrorResponse,
  createUrls,
  describeError,
  extendEtag,
  formatServerTiming,
  hasTag,
  log,
  respondConstant,
  StreamedJson,
  testKeyHeader,
  type Urls,
} from './respond.ts';
export {
  deriveBytes,
  deriveShareKey,
  deriveText,
  deriveTextFrom,
  findShareKey,
  getClaimedSite,
  getSealPrefix,
  HashCache,
  hashBearerToken,
  hashText,
  isVisitorToken,
  readVisitorToken,
  seal,
  signVisitorToken,
  toHex,
  unseal,
} from './secrets.ts';
export { createHtmlPage, html, type PageContext, type ServedPage } from './serve-pages.ts';
export {
  decodeName,
  getExpiry,
  importSigningKey,
  readSignedUrl,
  serveObject,
  signUrl,
  toSafeName,
} from './signed-object.ts';
export {
  getLocationUrl,
  getSiteUrl,
  isOwnHost,
  isSiteHost,
  parseSiteUrl,
  toCanonicalSiteUrl,
  withAnchor,
} from './site-url.ts';
export { mapInSlices, runInSlices, type Steps, waitForSlice } from './slices.ts';
export { getStorageError, pauseWrites, setStorage } from './storage-space.ts';
export { listWaitingJobs, replayJobs, type WaitingJob } from './waiting-jobs.ts';
