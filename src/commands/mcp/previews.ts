/**
 * What has been previewed in this session, and what became of it. Nothing is sent without a preview of the same content, and
 * nothing is sent again after an end that nobody knows (decision 116).
 */
import { createHash, randomUUID } from 'node:crypto';
import { CallError } from '../api.ts';
import { answer, refusal, type ToolResult } from './tool.ts';

/** What a preview has shown, and how it is carried out. */
export interface Plan {
  /** The tool that carries it out. */
  readonly tool: string;
  /** The input of the preview. */
  readonly content: object;
  /** A digest of what the preview showed, to be compared. */
  readonly shown: string;
  readonly showAgain: () => Promise<string>;
  /** The call with this idempotency key. */
  readonly carryOut: (key: string) => Promise<object>;
  /** Looks at the server for what the call left there. */
  readonly look: () => Promise<object>;
}

type State =
  | { readonly is: 'ready' }
  | { readonly is: 'underWay'; readonly end: Promise<ToolResult> }
  | { readonly is: 'done'; readonly result: object }
  | { readonly is: 'outdated' }
  | { readonly is: 'unknown'; readonly why: string };

interface Held {
  readonly plan: Plan;
  readonly key: string;
  state: State;
}

/** A session has no use for more; the oldest make room. */
const maxHeld = 200;

const whatToDo =
  'Do not send it again by any means. Ask `outcome` with this token, now and in a minute. If that finds nothing and a person decides to send all the same, preview and send exactly the same content: for 24 hours it has the same idempotency key, so the server sends it once at most.';

export class Previews {
  readonly #held = new Map<string, Held>();

  /** Returns the token, and a warning if the same content has been sent already or may have been. */
  hold(plan: Plan): { readonly token: string; readonly warning?: string } {
    const key = keyOf(plan);
    const before = [...this.#held.values()].filter((held) => held.key === key);
    const token = randomUUID();
    this.#held.set(token, { plan, key, state: { is: 'ready' } });
    for (const [oldest, { state }] of this.#held) {
      if (this.#held.size <= maxHeld) break;
      const isOver = state.is !== 'underWay' && state.is !== 'unknown';
      if (isOver && oldest !== token) this.#held.delete(oldest);
    }
    if (before.some(({ state }) => state.is === 'unknown'))
      return { token, warning: 'A call with exactly this content had an unknown end. Ask `outcome` first.' };
    if (before.some(({ state }) => state.is === 'done' || state.is === 'underWay'))
      return { token, warning: `Exactly this was sent in this session. ${toRepeat}` };
    return { token };
  }

  /** Carries out what was previewed, once. */
  async carryOut(tool: string, token: string, content: object): Promise<ToolResult> {
    const held = this.#held.get(token);
    if (held === undefined) return unknownToken;
    const { plan, state } = held;
    if (plan.tool !== tool)
      return refusal('wrong_tool', `Nothing was done. This token is for the tool ${plan.tool}.`);
    const changed = differences(plan.content, content);
    if (changed.length > 0)
      return refusal(
        'changed_content',
        `Nothing was sent. This is not what was previewed: ${changed.join(', ')} changed. Preview the new content, show it to the user, and send with its token.`,
      );
    if (state.is === 'done') return answer({ ...state.result, repeated });
    if (state.is === 'underWay') return state.end;
    if (state.is === 'unknown') return unknownEnd(state.why);
    if (state.is === 'outdated') return outdated;
    const end = this.#begin(held);
    held.state = { is: 'underWay', end };
    return end;
  }

  async #begin(held: Held): Promise<ToolResult> {
    const { plan, key } = held;
    const shown = await plan.showAgain().catch((error: unknown) => {
      held.state = { is: 'ready' };
      throw error;
    });
    if (shown !== plan.shown) {
      held.state = { is: 'outdated' };
      return outdated;
    }
    try {
      const result = await plan.carryOut(key);
      held.state = { is: 'done', result };
      return answer(result);
    } catch (error) {
      if (error instanceof CallError && error.certainty !== 'unknown') {
        held.state = { is: 'ready' };
        throw error;
      }
      const why = error instanceof Error ? error.message : String(error);
      held.state = { is: 'unknown', why };
      return unknownEnd(why);
    }
  }

  /** What became of a token, without sending anything. */
  async outcome(token: string): Promise<ToolResult> {
    const held = this.#held.get(token);
    if (held === undefined) return unknownToken;
    const { plan, state } = held;
    if (state.is === 'done') return answer({ state: 'done', result: state.result });
    if (state.is === 'underWay') return answer({ state: 'under way', todo: 'Ask again in a moment.' });
    if (state.is !== 'unknown') return answer({ state: 'nothing was sent with this token' });
    return answer({ state: 'unknown', why: state.why, found: await plan.look(), todo: whatToDo });
  }
}

export const toRepeat =
  'To repeat it on purpose within 24 hours, preview it with `repetition` 2, then 3, and so on.';

const repeated = 'This token was used before, and this is what it did then. Nothing more was sent.';

const unknownToken = refusal(
  'unknown_token',
  'Nothing was done now. This session does not know this token, or no longer. Preview the content, show it to the user, and use the token that you get.',
);

const outdated = refusal(
  'outdated_preview',
  'Nothing was sent. What would be sent is no longer what the preview showed: people, a text or a limit has changed since. Preview it again, and show it to the user.',
);

function unknownEnd(why: string): ToolResult {
  return refusal(
    'unknown_end',
    `Nobody knows whether this was carried out: the call reached the server, but no answer came back. ${whatToDo}`,
    { why },
  );
}

/** The same content has the same key in every session, so a call that is made twice is carried out once. */
function keyOf({ tool, content }: Plan): string {
  return `mcp-${createHash('sha256')
    .update(`${tool} ${canonical(content)}`)
    .digest('base64url')}`;
}

function differences(previewed: object, given: object): readonly string[] {
  const [before, now] = [new Map(Object.entries(previewed)), new Map(Object.entries(given))];
  const names = [...new Set([...before.keys(), ...now.keys()])];
  return names.filter((name) => canonical(before.get(name)) !== canonical(now.get(name)));
}

/** Stands for what a preview has shown, which may be large, while a session keeps many previews. */
export function digestOf(shown: object): string {
  return createHash('sha256').update(canonical(shown)).digest('base64url');
}

/** JSON in which the order of properties makes no difference. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) =>
    Object(inner) === inner && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner as object).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
