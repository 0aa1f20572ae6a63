/**
 * The thread that turns uploads into messages, so that no body, however large, delays other requests. An upload is opened,
 * validated, and then delivers one chunk per request, so that production never runs ahead of the store. Only the upload's
 * bytes are held in memory.
 */
import { answerCalls, crossing } from '../../foundation/thread.ts';
import { type TaskOwner, Turns } from '../../foundation/turns.ts';
import { Body } from '../../http/body/body.ts';
import type { ListSpan } from '../../http/body/json-scan.ts';
import { skimJson } from '../../http/body/json-skim.ts';
import { type FinishedBatch, type FinishedChunk, finishBatch } from './finish.ts';
import type { Ask, Finished, Judged, OpenedJson } from './intake.ts';
import { type BatchRequest, judgeBatch } from './judge.ts';
import { type BatchPreview, previewBatch } from './preview.ts';
import { JsonRecipients, LineRecipients, listName, type RecipientList } from './recipient.ts';

interface UploadState {
  readonly owner: TaskOwner;
  readonly body: Body;
  /** Undefined when the body is a list of lines. */
  readonly list: ListSpan | undefined;
  chunks: Generator<FinishedChunk | undefined, FinishedBatch> | undefined;
}

export function runIntakeThread(): void {
  const intake = new IntakeThread();
  answerCalls((ask: Ask) => intake.take(ask));
}

class IntakeThread {
  readonly #turns = new Turns();
  readonly #uploads = new Map<number, UploadState>();
  /** Includes uploads that are still being opened. */
  readonly #wanted = new Set<number>();

  async take(ask: Ask): Promise<OpenedJson | Judged | BatchPreview | Finished | null> {
    const isWanted = () => this.#wanted.has(ask.upload);
    switch (ask.kind) {
      case 'openJson': {
        this.#wanted.add(ask.upload);
        const { owner } = ask;
        const body = new Body(ask.blocks, ask.length);
        const wanted = { list: listName, fields: new Set(ask.fields) };
        const { fields, list } = await this.#turns.run(owner, skimJson(body, wanted), isWanted);
        if (list !== undefined && isWanted())
          this.#uploads.set(ask.upload, { owner, body, list, chunks: undefined });
        return { fields: { ...fields }, hasList: list !== undefined };
      }
      case 'openLines': {
        this.#wanted.add(ask.upload);
        const body = new Body(ask.blocks, ask.length);
        this.#uploads.set(ask.upload, { owner: ask.owner, body, list: undefined, chunks: undefined });
        return null;
      }
      case 'judge': {
        const upload = this.#upload(ask.upload);
        return this.#turns.run(upload.owner, this.#judge(upload, ask.request), isWanted);
      }
      case 'preview': {
        const upload = this.#upload(ask.upload);
        return this.#turns.run(
          upload.owner,
          previewBatch(recipientsOf(upload, ask.request), ask.request),
          isWanted,
        );
      }
      case 'next': {
        const upload = this.#upload(ask.upload);
        return this.#turns.run(upload.owner, nextChunk(upload), isWanted);
      }
      case 'drop':
        this.#wanted.delete(ask.upload);
        this.#uploads.delete(ask.upload);
        return null;
    }
  }

  #upload(number: number): UploadState {
    const upload = this.#uploads.get(number);
    if (upload === undefined) throw new Error(`there is no upload ${number}`);
    return upload;
  }

  *#judge(upload: UploadState, request: BatchRequest) {
    const recipients = recipientsOf(upload, request);
    const { repeated, fault, faults: _, faulty, ...judged } = yield* judgeBatch(recipients, request);
    if (repeated !== undefined) upload.chunks = finishBatch(recipients, request, repeated);
    return { ...judged, fault: fault && crossing(fault), faulty: faulty.count };
  }
}

function recipientsOf({ body, list }: UploadState, { holders }: BatchRequest): RecipientList {
  return list === undefined ? new LineRecipients(body, holders.length) : new JsonRecipients(body, list);
}

function* nextChunk({ chunks }: UploadState): Generator<void, Finished> {
  if (chunks === undefined) throw new Error('this upload has not been validated');
  for (;;) {
    const step = chunks.next();
    if (step.done) return { end: step.value };
    if (step.value !== undefined) return { chunk: step.value };
    yield;
  }
}
