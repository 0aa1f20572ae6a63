/**
 * The carriers, by sender, for messages whose sender is chosen only when they are stored. All messages that find the same
 * routes share one answer. Because routes may name very many numbers and the answer goes to the storing thread, the
 * answer consists of arrays of numbers, which are copied at once and searched by bisection.
 */

export interface CarriersBySender {
  /** Whether a number that no route names also has a route. */
  readonly hasOthers: boolean;
  /** Numbers that routes name, in ascending order. They have at most 15 digits, which a double represents exactly. */
  readonly numbers: Float64Array;
  /** For each number, the index of its list of carriers. */
  readonly lists: Uint32Array;
  /** Where each list begins in `carrierIds`, and where the last one ends. */
  readonly begins: Uint32Array;
  /** Within a list, carriers are in the order of their turns. */
  readonly carrierIds: Float64Array;
}

/** A sender that a number pool can contain: 1 to 15 digits, the first of which is not 0. */
export function isPoolNumber(sender: string): boolean {
  return /^[1-9][0-9]{0,14}$/.test(sender);
}

/** Whether routes name the number. */
export function isNamed({ numbers }: Pick<CarriersBySender, 'numbers'>, number: string): boolean {
  return placeOf(numbers, number) !== undefined;
}

/** Messages sent from numbers with the same routes take turns with the carriers. */
export class SenderTurns {
  readonly #taken = new Map<CarriersBySender, Uint32Array>();

  /** Undefined when no route names the number. */
  carrierFrom(carriers: CarriersBySender, number: string): number | undefined {
    const place = placeOf(carriers.numbers, number);
    if (place === undefined) return undefined;
    const list = carriers.lists[place] as number;
    const begin = carriers.begins[list] as number;
    const length = (carriers.begins[list + 1] as number) - begin;
    const taken = this.#takenOf(carriers);
    const turn = taken[list] as number;
    taken[list] = (turn + 1) % length;
    return carriers.carrierIds[begin + turn];
  }

  #takenOf(carriers: CarriersBySender): Uint32Array {
    let taken = this.#taken.get(carriers);
    if (taken === undefined) {
      taken = new Uint32Array(carriers.begins.length - 1);
      this.#taken.set(carriers, taken);
    }
    return taken;
  }
}

function placeOf(numbers: Float64Array, number: string): number | undefined {
  if (!isPoolNumber(number)) return undefined;
  const wanted = Number(number);
  let low = 0;
  let high = numbers.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = numbers[middle] as number;
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
