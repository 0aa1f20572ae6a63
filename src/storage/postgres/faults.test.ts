import { describe, expect, test } from 'vitest';
import { OutcomeUnknown, StoreDamaged } from '../store.ts';
import { asStoreError, isRepeatable, isUnavailable } from './faults.ts';

const coded = (code: string) => Object.assign(new Error('a fault'), { code });

describe('faults of PostgreSQL', () => {
  test.each([
    ['57P01', 'a connection cut by the operator'],
    ['57P03', 'a server that is starting'],
    ['57014', 'a statement that took too long'],
    ['25P03', 'a transaction that was silent for too long'],
    ['25006', 'a database that takes no writes'],
    ['53100', 'a full disk'],
    ['53300', 'too many connections'],
    ['55P03', 'a lock that was not given'],
    ['08006', 'a broken connection'],
    ['58030', 'a fault of the disk'],
    ['ECONNREFUSED', 'nobody who listens'],
    ['ECONNRESET', 'a broken socket'],
    ['EPIPE', 'a closed socket, whose code is as long as an SQLSTATE'],
    ['EAI_AGAIN', 'a name server that is away'],
  ])('[DLV-7] The error %s, %s, means that the store is unavailable', (code) => {
    expect(isUnavailable(coded(code))).toBe(true);
    expect(isRepeatable(coded(code))).toBe(false);
  });

  test.each(['23505', '22001', '42P01', '40P01', '40001', '25P02'])(
    '[DLV-7] The PostgreSQL error %s does not mean that the store is unavailable',
    (code) => {
      expect(isUnavailable(coded(code))).toBe(false);
    },
  );

  test('[DLV-7] Faults of the client without a code, and a COMMIT without an answer, mean that the store is unavailable', () => {
    for (const message of [
      'Connection terminated',
      'Connection terminated unexpectedly',
      'timeout exceeded when trying to connect',
      'Query read timeout',
      'Client was closed and is not queryable',
    ]) {
      expect(isUnavailable(new Error(message))).toBe(true);
    }
    expect(isUnavailable(new OutcomeUnknown(new Error('Connection terminated')))).toBe(true);
    expect(isUnavailable(new Error('messages.accept gave 1 answers to 2 inputs'))).toBe(false);
  });

  test.each([
    ['XX001', 'data that is corrupted'],
    ['XX002', 'an index that is corrupted'],
  ])('[DLV-7] [RUN-9] The error %s, %s, means that the store is damaged, and is not retried', (code) => {
    expect(asStoreError(coded(code))).toBeInstanceOf(StoreDamaged);
    expect([isUnavailable(coded(code)), isRepeatable(coded(code))]).toEqual([false, false]);
  });

  test('[DLV-7] [RUN-9] Only errors of corrupted data mean that the store is damaged', () => {
    for (const code of ['57P01', '53100', '58030', '23505', 'XX000'])
      expect(asStoreError(coded(code))).not.toBeInstanceOf(StoreDamaged);
  });

  test('[DLV-7] Deadlocks and serialization failures are tried again', () => {
    expect(['40P01', '40001'].map((code) => isRepeatable(coded(code)))).toEqual([true, true]);
  });
});
