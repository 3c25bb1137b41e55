import type { Endpoint } from '@octavo/schema';

/** An answer of an endpoint that is `streamed`: JSON as UTF-8, which is passed on piece by piece. */
export class StreamedJson {
  readonly body: ReadableStream<Uint8Array>;

  constructor(body: ReadableStream<Uint8Array>) {
    this.body = body;
  }
}

/** In tests, whether it is what the contract says, which takes all of it. */
export async function checkStreamed({ response }: Endpoint, { body }: StreamedJson): Promise<StreamedJson> {
  const bytes = await new Response(body).bytes();
  response?.parse(JSON.parse(new TextDecoder().decode(bytes)));
  return new StreamedJson(streamOf(bytes));
}

const streamOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
