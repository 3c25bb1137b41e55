import type { DatabaseBinding } from '@octavo/db';
import { connect, findTokenRoles } from '@octavo/db';
import { importSigningKey } from '@octavo/runtime';
import type { LiveMessage, LiveNotice, Presence, Role, SpaceId } from '@octavo/schema';
import { createId, getSpacePermissions, LiveRequest, liveCloseCodes, livePing, livePong } from '@octavo/schema';
import { chooseEnding } from './live-limits.ts';
import { type LiveSubscriber, readLiveUrl } from './live-url.ts';

/** Before anything is sent to a connection, its access is checked again if the last check is older than this. */
const checkMilliseconds = 1000;
/** Clients repeat their presence more often than this. If a client does not, its user is no longer shown. */
const presenceMilliseconds = 75_000;
/** A presence that follows another one of the same connection within this time is ignored. */
const presencePauseMilliseconds = 300;
/** Maximum length of a message of a client, and number of messages in ten seconds. */
const maxLength = 2000;
const maxMessages = 50;
const rateMilliseconds = 10_000;

/** The state of a connection. It is stored with the socket, so that it survives the hibernation of the object. */
interface Connection extends LiveSubscriber {
  id: string;
  opened: number;
  presence: Presence | null;
  /** The time of the last message about the presence. */
  seen: number;
}

interface OpenConnection {
  socket: WebSocket;
  connection: Connection;
}

/** A check of access: the roles that the tokens had at this time. Tokens without access have none. */
interface Check {
  time: number;
  roles: Promise<Map<string, Role>>;
}

const read = (socket: WebSocket): Connection => socket.deserializeAttachment() as Connection;

const isOpen = ({ readyState }: WebSocket): boolean => readyState === WebSocket.READY_STATE_OPEN;

/** Sends a message. A socket can be closed at any time, and its client then reads everything again. */
function send(socket: WebSocket, message: LiveMessage): void {
  try {
    socket.send(JSON.stringify(message));
  } catch {
    // The connection has ended.
  }
}

/**
 * The live connections of spaces. The runtime keeps the sockets and their state, so that an object without work uses no
 * memory. On one machine, one room has the connections of all spaces.
 */
export class LiveRoom {
  readonly #context: DurableObjectState;
  readonly #env: { OCTAVO_SECRET: string; DB: DatabaseBinding };
  /** The number of recent messages of each connection. */
  #counts = new WeakMap<WebSocket, { start: number; messages: number }>();
  /** The last check of each connection. */
  #checks = new WeakMap<WebSocket, Check>();

  constructor(context: DurableObjectState, env: { OCTAVO_SECRET: string; DB: DatabaseBinding }) {
    this.#context = context;
    this.#env = env;
  }

  /** Opens a connection for the subscriber of a URL whose signature was verified. @throws ApiError rate_limited */
  async open(url: string): Promise<Response> {
    const subscriber = await readLiveUrl(url, await importSigningKey(this.#env));
    this.#makeRoom(subscriber);
    const { 0: client, 1: server } = new WebSocketPair();
    this.#context.setWebSocketAutoResponse(new WebSocketRequestResponsePair(livePing, livePong));
    this.#context.acceptWebSocket(server, [subscriber.space]);
    const connection: Connection = {
      ...subscriber,
      id: createId('request'),
      opened: Date.now(),
      presence: null,
      seen: 0,
    };
    server.serializeAttachment(connection);
    send(server, { type: 'connected' });
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends changes to the connections of their space. */
  async announce({ id, events }: LiveNotice): Promise<void> {
    for (const { socket } of await this.#keepAllowed(id, this.#getOpen(id)))
      for (const event of events) send(socket, { type: 'event', event });
  }

  async receive(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    if (typeof message !== 'string' || message.length > maxLength) return socket.close(liveCloseCodes.tooLong);
    const request = this.#isTooFrequent(socket) ? undefined : parse(message);
    if (request === undefined) return socket.close(liveCloseCodes.invalid);
    const { presence } = request;
    if (presence !== null) {
      const connection = read(socket);
      const now = Date.now();
      if (now - connection.seen < presencePauseMilliseconds) return;
      socket.serializeAttachment({ ...connection, seen: now });
    }
    await this.#setPresence(socket, presence);
  }

  /** Notifies the connections that edit the same content that the user of a closed connection has stopped editing. */
  async leave(socket: WebSocket): Promise<void> {
    const { space, id, user, presence } = read(socket);
    if (presence === null) return;
    for (const other of await this.#keepAllowed(space, this.#getEditing(space, socket)))
      if (other.connection.presence?.changeRequest === presence.changeRequest)
        send(other.socket, { type: 'presence', participant: id, user, presence: null });
  }

  #getOpen(space: SpaceId): OpenConnection[] {
    return this.#context
      .getWebSockets(space)
      .filter(isOpen)
      .map((socket) => ({ socket, connection: read(socket) }));
  }

  /** Returns the other connections with a presence. */
  #getEditing(space: SpaceId, socket: WebSocket): OpenConnection[] {
    return this.#getOpen(space).filter((each) => each.socket !== socket && each.connection.presence !== null);
  }

  /** Closes silent connections, and the user's oldest if there are too many. @throws ApiError rate_limited */
  #makeRoom({ space, user }: LiveSubscriber): void {
    const connections = this.#getOpen(space).map(({ socket, connection }) => {
      const ping = this.#context.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
      return { socket, user: connection.user, opened: connection.opened, heard: Math.max(ping, connection.opened) };
    });
    const { silent, replaced } = chooseEnding(connections, user);
    for (const { socket } of silent) socket.close(liveCloseCodes.silent, 'The connection has sent no ping.');
    for (const { socket } of replaced) socket.close(liveCloseCodes.replaced, 'You have too many connections.');
  }

  /**
   * Returns the connections whose tokens still give access to their space, with their roles, and closes the others. One
   * query checks all connections without a recent check.
   */
  async #keepAllowed(space: SpaceId, connections: OpenConnection[]): Promise<(OpenConnection & { role: Role })[]> {
    const time = Date.now();
    const isDue = ({ socket }: OpenConnection) => time - (this.#checks.get(socket)?.time ?? 0) > checkMilliseconds;
    const due = connections.filter(isDue);
    if (due.length > 0) {
      const { db } = connect(this.#env.DB, { intent: 'read' });
      const roles = findTokenRoles(db, space, [...new Set(due.map(({ connection }) => connection.token))]);
      for (const { socket } of due) this.#checks.set(socket, { time, roles });
    }
    const checks = connections.map(({ socket }) => this.#checks.get(socket)?.roles);
    const rolesOfEach = await Promise.all(checks);
    return connections.flatMap((each, index) => {
      const role = rolesOfEach[index]?.get(each.connection.token);
      if (role !== undefined) return [{ ...each, role }];
      each.socket.close(liveCloseCodes.noAccess, 'The token has no access to the space.');
      return [];
    });
  }

  /** Changes the presence of a connection, and notifies the connections in its former and its new change request. */
  async #setPresence(socket: WebSocket, presence: Presence | null): Promise<void> {
    const { space, id, user } = read(socket);
    const own = { socket, connection: read(socket) };
    const kept = await this.#keepAllowed(space, [own, ...this.#getEditing(space, socket)]);
    // If the connection closed during the check, `leave` has notified the others of its former presence.
    if (!isOpen(socket)) return;
    const role = kept.find((each) => each.socket === socket)?.role ?? null;
    if (role === null || (presence !== null && !getSpacePermissions(role, false).edit)) return;
    const connection = read(socket);
    socket.serializeAttachment({ ...connection, presence });
    const former = connection.presence?.changeRequest;
    const isMoved = former !== presence?.changeRequest;
    const since = Date.now() - presenceMilliseconds;
    // Other users may have started to edit during the first check.
    for (const { socket: other, connection: its } of await this.#keepAllowed(space, this.#getEditing(space, socket))) {
      const changeRequest = its.presence?.changeRequest;
      if (isMoved && changeRequest === former) send(other, { type: 'presence', participant: id, user, presence: null });
      if (presence === null || !isOpen(socket) || changeRequest !== presence.changeRequest) continue;
      send(other, { type: 'presence', participant: id, user, presence });
      if (isMoved && its.seen > since)
        send(socket, { type: 'presence', participant: its.id, user: its.user, presence: its.presence });
    }
  }

  #isTooFrequent(socket: WebSocket): boolean {
    const now = Date.now();
    const former = this.#counts.get(socket);
    const count = former === undefined || now - former.start > rateMilliseconds ? { start: now, messages: 0 } : former;
    count.messages += 1;
    this.#counts.set(socket, count);
    return count.messages > maxMessages;
  }
}

function parse(message: string): LiveRequest | undefined {
  try {
    return LiveRequest.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}
