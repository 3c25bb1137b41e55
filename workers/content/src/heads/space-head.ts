import { DurableObject } from 'cloudflare:workers';
import type {
  ChangeRequestMove,
  EditableBranchId,
  ImportId,
  LiveNotice,
  Merge,
  MergeResult,
  Metered,
  UpdateResult,
} from '@octavo/schema';
import type { BranchEdit, EditResult } from '../engine/edit/edit-branch.ts';
import { editBranch } from '../engine/edit/edit-branch.ts';
import { finishImport } from '../engine/imports/finish-import.ts';
import { KeyedQueue } from '../engine/keyed-queue.ts';
import { mergeIntoHead, pullFromHead } from '../engine/merge/merge.ts';
import { addTextStore } from '../engine/texts/text-store.ts';
import type { ContentEnvironment } from '../environment.ts';
import { LiveRoom } from './live-room.ts';

/**
 * One object per space, which serializes all changes of the heads of its content and change requests. A Durable Object
 * does not serialize calls by itself: they interleave at every await of a database query.
 */
export class SpaceHead extends DurableObject<ContentEnvironment> {
  // Each object has its own queue. A queue of the module would keep the calls of an object that has ended, and these
  // never settle.
  readonly #queue = new KeyedQueue();
  readonly #room = new LiveRoom(this.ctx, this.env);

  /** The environment of writes. They announce their events directly to the connections of this object. */
  get #env(): ContentEnvironment {
    const heads = { idFromName: (name: string) => name, get: () => this.#room };
    return { ...addTextStore(this.env), SPACE_HEAD: heads } as ContentEnvironment;
  }

  /** Opens a live connection to the space. */
  override fetch(request: Request): Promise<Response> {
    return this.#room.open(request.url);
  }

  announce(notice: LiveNotice): Promise<void> {
    return this.#room.announce(notice);
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    return this.#room.receive(socket, message);
  }

  override webSocketClose(socket: WebSocket): Promise<void> {
    return this.#room.leave(socket);
  }

  override webSocketError(socket: WebSocket): Promise<void> {
    return this.#room.leave(socket);
  }

  edit(edit: BranchEdit): Promise<Metered<EditResult>> {
    const rows = this.#queue.has(edit.branch) ? undefined : edit.rows;
    return this.#queue.run([edit.branch], () => editBranch(this.#env, this.ctx, { ...edit, rows }));
  }

  finishImport({ import: id, branch }: { import: ImportId; branch: EditableBranchId }): Promise<Metered<void>> {
    return this.#queue.run([branch], () => finishImport(this.#env, this.ctx, id));
  }

  merge(merge: Merge): Promise<Metered<MergeResult | null>> {
    return this.#queue.run([merge.space, merge.changeRequest], () => mergeIntoHead(this.#env, this.ctx, merge));
  }

  pull(move: ChangeRequestMove): Promise<Metered<UpdateResult>> {
    return this.#queue.run([move.changeRequest], () => pullFromHead(this.#env, this.ctx, move));
  }
}

/**
 * The environment of code that calls space heads. It is declared here because the code that space heads run must not
 * depend on space heads.
 */
export interface HeadEnvironment extends ContentEnvironment {
  SPACE_HEAD: DurableObjectNamespace<SpaceHead>;
  /** The region of the database, such as `weur`. */
  OCTAVO_REGION?: DurableObjectLocationHint;
}
