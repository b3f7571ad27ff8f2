import type { DryRunReport } from '../../../contract/call/outcome.ts';
import { TIMEOUT_MS } from '../../../contract/tool/timeout-class.ts';
import { type Answer, memberLines } from './answer.ts';

/** Encodes the report of a dry run. The text leaves out what is empty, and names only the checks that fail. */
export function encodeDryRun(report: DryRunReport): Answer {
  return {
    content: [{ type: 'text', text: dryRunText(report) }],
    structured: dryRunBody(report),
  };
}

function dryRunText(report: DryRunReport): string {
  const { toolId, areArgsValid, sideEffects, cost, timeoutClass, quotaRemaining } = report;
  const hints = Object.entries(hintsOf(report)).map(([name, value]) => `${name} ${value}`);
  const lines = memberLines({
    ...(areArgsValid !== null && { arguments: 'valid' }),
    effect: effectText(report),
    ...(sideEffects.length > 0 && { predicted_side_effects: sideEffects }),
    ...(hints.length > 0 && { 'annotations (not verified)': hints.join(', ') }),
    ...(Object.keys(cost).length > 0 && { estimated_cost: cost }),
    idempotency_key: report.idempotencyKey,
    ...(report.needsApproval && { approval: approvalOf(report) }),
    timeout: `${TIMEOUT_MS[timeoutClass]} ms`,
    ...(quotaRemaining.length > 0 && { quota_left: quotaLeft(report) }),
    checks: checksText(report),
    ...(report.inputSchema !== undefined && { input_schema: report.inputSchema }),
  });
  const description = report.description === undefined ? [] : [`description: ${report.description}`];
  return [`Dry run of ${toolId}: the tool was not called.`, ...lines, ...description].join('\n');
}

function checksText({ checks }: DryRunReport): string {
  const failed = checks.filter(({ status }) => status === 'fail');
  return failed.length === 0
    ? 'pass'
    : failed.map(({ name, reason }) => `${name} fails: ${reason}`).join(', ');
}

function effectText({ mutation, impact }: DryRunReport): string {
  const { effect, isDeclared, isVerifiedAfterwards, isCompensatedIfWrong } = impact;
  return [
    `${effect} (${mutation}, ${isDeclared ? 'declared' : 'assumed'})`,
    ...(isVerifiedAfterwards ? ['verified afterwards'] : []),
    ...(isCompensatedIfWrong ? ['compensated if wrong'] : []),
  ].join(', ');
}

function dryRunBody(report: DryRunReport): Record<string, unknown> {
  const { impact, cost, timeoutClass, quotaRemaining, inputSchema, description } = report;
  return {
    dry_run: true,
    tool_id: report.toolId,
    upstream_name: report.upstreamName,
    args_valid: report.areArgsValid,
    annotations: { ...hintsOf(report), verified: false },
    mutation: report.mutation,
    predicted_side_effects: report.sideEffects,
    estimated_impact: {
      effect: impact.effect,
      declared: impact.isDeclared,
      verified_afterwards: impact.isVerifiedAfterwards,
      compensated_if_wrong: impact.isCompensatedIfWrong,
    },
    ...(Object.keys(cost).length > 0 && { estimated_cost: cost }),
    idempotency_key: report.idempotencyKey,
    approval: approvalOf(report),
    timeout: { class: timeoutClass, max_ms: TIMEOUT_MS[timeoutClass] },
    ...(quotaRemaining.length > 0 && { quota_left: quotaLeft(report) }),
    checks: report.checks,
    ...(description !== undefined && { description }),
    ...(inputSchema !== undefined && { input_schema: inputSchema }),
  };
}

function hintsOf({ hints: { readOnly, destructive, idempotent, openWorld } }: DryRunReport): object {
  return {
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    ...(openWorld !== undefined && { openWorldHint: openWorld }),
  };
}

function approvalOf({ needsApproval }: DryRunReport): string {
  return needsApproval ? 'required' : 'not_required';
}

function quotaLeft({ quotaRemaining }: DryRunReport): object[] {
  return quotaRemaining.map(({ scope, perMinute, perSession }) => ({
    scope,
    ...(perMinute !== undefined && { per_minute: perMinute }),
    ...(perSession !== undefined && { per_session: perSession }),
  }));
}
