-- What a store holds, the newest first: a row for each mining, suite, model, run and import of
-- judgments. `model_facts` is a function of `status.py`: a model's folder → facts in its model.json.
SELECT id, what, name, language, n, about, created FROM (
    SELECT
        1 AS kind, treebank_id AS number, NULL AS id, 'mining' AS what, treebank.name,
        treebank.language, coalesce(sum(n_originals), 0) AS n,
        'rule ' || treebank.rule || ', ' || treebank.feature || '; '
            || coalesce(sum(verdict = 'accepted'), 0) || ' of ' || count(position)
            || ' constructions accepted' AS about,
        treebank.created
    FROM treebank LEFT JOIN construction USING (treebank_id)
    GROUP BY treebank_id

    UNION ALL
    SELECT
        2, suite_id, suite_id, 'suite', name, language,
        coalesce((SELECT sum(value) FROM json_each(kinds)), 0),
        coalesce((
            SELECT group_concat(value || ' ' || key, ', ')
            FROM (SELECT key, value FROM json_each(kinds) ORDER BY key)
        ), '') || coalesce('; ' || nullif(json_extract(meta, '$.made'), ''), ''),
        created
    FROM suite

    UNION ALL
    SELECT
        3, trained_id, NULL, 'model', path,
        coalesce(nullif(json_extract(facts, '$.language'), ''), treebank.language),
        json_extract(facts, '$.n_sentences'),
        kind || ', trained on '
            || coalesce(nullif(json_extract(facts, '$.treebank'), ''), treebank.name, 'text')
            || iif(facts IS NULL, '; its folder is gone', ''),
        trained.created
    FROM (SELECT *, model_facts(path) AS facts FROM trained) AS trained
    LEFT JOIN treebank USING (treebank_id)

    UNION ALL
    SELECT
        4, run_id, NULL, 'run', model.name, NULL, n_items,
        'on ' || suite.name || ', ' || run.method, run.created
    FROM run JOIN model USING (model_id) JOIN suite USING (suite_id)

    UNION ALL
    SELECT
        5, judgment_set_id, NULL, 'judgments', name, NULL, iif(n_answers, n_answers, n_tallies),
        iif(n_answers, 'answers', 'items with totals') || ' on ' || coalesce(suite, 'no suite')
            || iif(simulated, '; SIMULATED', ''),
        created
    FROM (
        SELECT
            judgment_set.*, suite.name AS suite,
            (SELECT count(*) FROM judgment
             WHERE judgment.judgment_set_id = judgment_set.judgment_set_id) AS n_answers,
            (SELECT count(*) FROM tally
             WHERE tally.judgment_set_id = judgment_set.judgment_set_id) AS n_tallies
        FROM judgment_set LEFT JOIN suite USING (suite_id)
    )
)
ORDER BY created DESC, kind, number DESC
