-- Ten questions that a security group asks of the log. Each is one statement.

-- 1. What was denied in the last day, by rule and machine?
SELECT policy || ':' || rule AS rule, host, count(*) AS denied, max(ts) AS last
FROM guard_log WHERE action = 'block' AND ts > now() - interval '1 day'
GROUP BY 1, 2 ORDER BY denied DESC, last DESC LIMIT 50;

-- 2. Which machines have sent nothing for a day, though they did in the last month?
SELECT host, max(ts) AS last_line, max(received) AS last_received, max(version) AS version
FROM guard_log WHERE ts > now() - interval '30 days'
GROUP BY host HAVING max(received) < now() - interval '1 day' ORDER BY last_received;

-- 3. Which rules ask most, and what became of the questions?
SELECT asked.rule, count(*) FILTER (WHERE action = 'confirm_required') AS asked,
       count(*) FILTER (WHERE action = 'ran') AS ran, count(*) FILTER (WHERE action = 'refused') AS refused
FROM guard_log, LATERAL unnest(rules) AS asked(rule)
WHERE action IN ('confirm_required', 'ran', 'refused') AND ts > now() - interval '7 days'
GROUP BY 1 ORDER BY asked DESC LIMIT 20;

-- 4. Who let calls run that a policy asked about, and which?
SELECT host, session, overruled.rule, count(*) AS calls, min(operation) AS example, max(ts) AS last
FROM guard_log, LATERAL unnest(rules) AS overruled(rule)
WHERE action = 'confirmed_allow' AND ts > now() - interval '7 days'
GROUP BY 1, 2, 3 ORDER BY calls DESC LIMIT 50;

-- 5. Where did guard-host or a policy fail?
SELECT host, version, failed.rule, count(*) AS calls, max(ts) AS last
FROM guard_log, LATERAL unnest(rules) AS failed(rule)
WHERE (failed.rule LIKE '%:policy-fault' OR failed.rule = 'hook:no-verdict') AND ts > now() - interval '7 days'
GROUP BY 1, 2, 3 ORDER BY calls DESC;

-- 6. Where was guard-host paused, and for how long?
SELECT ts, host, action, operation, cwd FROM guard_log
WHERE action IN ('pause', 'resume') AND ts > now() - interval '30 days' ORDER BY ts DESC;

-- 7. Which sessions were denied again and again? An agent that looks for a way around is one.
SELECT host, session, harness, agent, count(*) AS denied, count(DISTINCT operation) AS ways, min(ts) AS first, max(ts) AS last
FROM guard_log WHERE action = 'block' AND ts > now() - interval '7 days' AND session <> ''
GROUP BY 1, 2, 3, 4 HAVING count(DISTINCT operation) >= 5 ORDER BY ways DESC LIMIT 50;

-- 8. Which rules spoke in the last week for the first time?
SELECT spoken.rule, min(ts) AS first, count(DISTINCT host) AS hosts, count(*) AS calls
FROM guard_log, LATERAL unnest(rules) AS spoken(rule)
GROUP BY 1 HAVING min(ts) > now() - interval '7 days' ORDER BY first DESC;

-- 9. What would policies have stopped that are only watched?
SELECT policy || ':' || rule AS rule, action, count(*) AS calls, count(DISTINCT host) AS hosts, min(operation) AS example
FROM guard_log WHERE action IN ('would-ask', 'would-deny') AND ts > now() - interval '7 days'
GROUP BY 1, 2 ORDER BY calls DESC;

-- 10. What happened around one line? Put in its id.
SELECT near.ts, near.action, near.policy || ':' || near.rule AS rule, near.tool, near.operation, near.cwd
FROM guard_log found JOIN guard_log near ON near.host = found.host AND near.session = found.session
 AND near.ts BETWEEN found.ts - interval '30 minutes' AND found.ts + interval '30 minutes'
WHERE found.id = '0000000000000000' ORDER BY near.ts;
