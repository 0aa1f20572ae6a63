/**
 * What a run says beside its tests: how far it is, in the end what was left out and how to get it, and with
 * `CARILLON_SLOWEST=20` that many of the files that took the most processor time.
 */
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const slowest = Number(process.env.CARILLON_SLOWEST ?? 0);

export class RunReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const costs = modules.map((module) => ({
      file: `${module.project.name} ${module.relativeModuleId}`,
      processorMs: module.meta().processorMs ?? 0,
      wallMs: module.diagnostic().duration,
    }));
    if (slowest === 0) return;
    const total = costs.reduce((sum, { processorMs }) => sum + processorMs, 0);
    const lines = costs
      .sort((a, b) => b.processorMs - a.processorMs)
      .slice(0, slowest)
      .map(({ file, processorMs, wallMs }) => `${seconds(processorMs)} ${seconds(wallMs)}  ${file}`);
    this.#vitest?.logger.log(
      [`\nProcessor seconds (${seconds(total).trim()} in all), seconds, file:`, ...lines].join('\n'),
    );
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1).padStart(7);
}
