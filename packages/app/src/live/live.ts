import type { LiveEvent, Presence } from '@octavo/schema';
import { useEffect, useState } from 'preact/hooks';
import { collectChanges } from './reload-changed.ts';
import { type Participant, SpaceConnection } from './space-connection.ts';

let connection: SpaceConnection | undefined;

type EventListener = (event: LiveEvent | undefined) => void;
const eventListeners = new Set<EventListener>();
const participantListeners = new Set<(participants: Participant[]) => void>();

/** Receives the events of the open space, and reloads the shown values that they may have changed. */
export function useLiveSpace(space: string | undefined): void {
  useEffect(() => {
    if (space === undefined) return;
    const changes = collectChanges(space);
    const announce = (event: LiveEvent | undefined): void => {
      changes.add(event);
      for (const listener of eventListeners) listener(event);
    };
    const opened = new SpaceConnection(space, {
      onEvent: announce,
      onGap: () => announce(undefined),
      onParticipants: (participants) => {
        for (const listener of participantListeners) listener(participants);
      },
    });
    connection = opened;
    opened.setPresence(presence);
    return () => {
      if (connection === opened) connection = undefined;
      opened.close();
      changes.stop();
    };
  }, [space]);
}

/**
 * Adds a listener. It receives undefined if events may have been missed. Returns a function that removes the listener.
 */
export function onLiveEvent(listener: EventListener): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

let presence: Presence | null = null;

/** Shows other users which page the user edits; null if the user edits no page. */
export function setPresence(changed: Presence | null): void {
  presence = changed;
  connection?.setPresence(changed);
}

/** Returns the other users who edit a page of the same change request. */
export function useParticipants(): Participant[] {
  const [participants, setParticipants] = useState<Participant[]>([]);
  useEffect(() => {
    participantListeners.add(setParticipants);
    return () => {
      participantListeners.delete(setParticipants);
    };
  }, []);
  return participants;
}
