export { authorizeVisitor } from './authorize.ts';
export { commitEvents, commitStep, consume, handleEachMessage, type MessageFailures } from './consume.ts';
export type {
  ActorContext,
  BaseContext,
  Context,
  Handler,
  HandlerInput,
  OrganizationScope,
  SpaceScope,
} from './context.ts';
export { createCronRunner, isHalted } from './crons.ts';
export type { Background, Environment, Settings } from './environment.ts';
export { handleEventGroups } from './event-groups.ts';
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
  getNetwork,
  InProcessWorker,
  type Route,
  type RouteMatch,
  RouteMatcher,
  readClientAddress,
  readGatewayContext,
  removeCallerHeader,
  requestIdHeader,
  unknownAddress,
} from './forward.ts';
export { createHandlerFactory, type Handlers, implement } from './handle-request.ts';
export { readHealth } from './health.ts';
export { deleteOldIdempotencyKeys, releaseClaims } from './idempotency.ts';
export { LruMap } from './lru-map.ts';
export { createMeteredService, runMeteredWork, type ServiceContext } from './metered.ts';
export { readMetrics } from './metrics.ts';
export {
  deleteInBatches,
  deleteSettledEvents,
  type EventHandlers,
  getRunNumber,
  handleEvent,
  handleNextEvent,
  isLastAttempt,
  maxAttempts,
  type OutboxEvent,
  resendEventsBefore,
  sendEvents,
  settleEvent,
  sweepOutbox,
} from './outbox.ts';
export { makeFileUrlsPermanent } from './permanent-files.ts';
export {
  getShareKey,
  presentChangeRequest,
  presentCollection,
  presentForNonMember,
  presentMember,
  presentOrganization,
  presentSite,
  presentSpace,
  presentToVisitor,
  presentUser,
} from './present.ts';
export {
  formerSecretMilliseconds,
  getPreferredType,
  readBytes,
  readForm,
  readInput,
  requireUncompressed,
  sessionIdleMilliseconds,
} from './request.ts';
export { countRequest, type RequestArea } from './request-counts.ts';
export {
  bookmarkHeader,
  bufferLog,
  buildHeader,
  type Constant,
  type Constants,
  createErrorResponse,
  createUrls,
  describeError,
  discardBody,
  extendEtag,
  formatServerTiming,
  hasTag,
  isBookmark,
  log,
  readCost,
  requireHead,
  respondConstant,
  StreamedJson,
  testKeyHeader,
  toApiError,
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
  toVisitor,
  unseal,
} from './secrets.ts';
export { createHtmlPage, html, joinHtml, type PageContext, type ServedPage } from './serve-pages.ts';
export {
  clearSessionCookie,
  createSessionCookie,
  isSameOrigin,
  readSessionCookie,
  removeSessionCookie,
} from './session-cookie.ts';
export { requireSettingToken } from './setting-token.ts';
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
  addAnchor,
  getLocationUrl,
  getSiteUrl,
  hasHostPerOrganization,
  isOwnHost,
  isSiteHost,
  parseSiteUrl,
  toCanonicalSiteUrl,
} from './site-url.ts';
export { mapInSlices, runInSlices, type Steps, toJsonBytes, waitForSlice } from './slices.ts';
export { getStorageError, pauseWrites, setStorage } from './storage-space.ts';
export { parseStrictJson } from './strict-json.ts';
export { listWaitingJobs, replayJobs, type WaitingJob } from './waiting-jobs.ts';
export { type Count, isOverLimit, RequestWindows } from './windows.ts';
