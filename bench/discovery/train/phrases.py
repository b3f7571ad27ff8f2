"""Generates requests and tool descriptions from hand-written word lists.

The lists were written for this purpose and are from no benchmark. The meaning of the words comes from the teachers; the
phrases only select texts about what tools do.
"""

import random

DOMAINS = {
    "messaging": "message, channel, thread, reaction, direct message, group chat, conversation, mention, notification, emoji, workspace, user status, chat room, text message, phone call, voicemail, contact, video meeting, webinar, participant",
    "email": "email, inbox, draft, attachment, reply, mailing list, newsletter, unread mail, spam folder, label, signature, recipient, mail thread, out of office reply, email address",
    "calendar": "meeting, event, appointment, invitation, reminder, free slot, schedule, calendar, availability, deadline, time zone, recurring event, to-do, task list, agenda",
    "files": "file, folder, directory, document, archive, permission, share link, version history, spreadsheet, presentation, PDF, disk space, upload, download, file content, text file, path, cloud drive, backup, checksum",
    "code": "repository, pull request, merge request, commit, branch, code review, fork, release, tag, gist, source code, diff, merge conflict, webhook, contributor, function definition, unit test, code coverage, linter, dependency",
    "issues": "issue, bug report, ticket, epic, sprint, backlog, story, comment, assignee, milestone, label, priority, board, project, workflow, roadmap, support request, incident, outage, on-call schedule",
    "deploy": "deployment, build, pipeline, container, image, cluster, pod, server, virtual machine, log, environment variable, secret, domain name, certificate, load balancer, function, queue, job, cron job, infrastructure",
    "data": "database, table, query, row, column, schema, index, record, collection, key, cache, transaction, migration, SQL statement, data warehouse, dashboard, chart, report, metric, data set, graph, node, vector, embedding, search index",
    "crm": "customer, lead, deal, account, contact, opportunity, company, pipeline, campaign, sales report, quote, customer note, segment, survey, feedback, form response, support agent, knowledge base article",
    "payments": "payment, invoice, refund, subscription, charge, payout, balance, credit card, bank account, transaction, receipt, tax, discount code, price, dispute, expense, budget, wallet, transfer, exchange rate",
    "commerce": "order, product, cart, shipment, tracking number, inventory, review, coupon, wish list, return, delivery, catalog, store, seller, gift card, auction, price comparison",
    "travel": "flight, hotel, booking, reservation, rental car, train ticket, itinerary, airport, boarding pass, visa, vacation home, tour, cruise, restaurant, table reservation, taxi, ride, bus route, parking spot",
    "places": "weather forecast, temperature, rain, air quality, map, route, directions, distance, address, coordinates, nearby place, postal code, elevation, traffic, time zone, country, city, population, earthquake, sunrise time",
    "finance": "stock price, share, market, portfolio, cryptocurrency, exchange rate, dividend, earnings report, interest rate, loan, mortgage, insurance policy, credit score, retirement plan, investment, index fund, option, bond",
    "media": "song, playlist, album, artist, podcast, video, movie, TV show, subtitle, transcript, audio clip, image, photo, screenshot, thumbnail, QR code, color palette, logo, meme, GIF, live stream, episode, lyrics, book, game",
    "knowledge": "news article, headline, web page, search result, encyclopedia entry, scientific paper, citation, definition, translation, synonym, summary, question, answer, quote, fact, joke, trivia, blog post, research report, patent, law, court case",
    "social": "post, tweet, follower, hashtag, profile, friend, story, like, comment, timeline, trend, subreddit, community, poll, influencer, ad, page",
    "health": "recipe, ingredient, calorie, meal plan, workout, heart rate, sleep, medication, symptom, doctor, medical record, appointment, diet, exercise, vaccine, hospital, allergy",
    "home": "light, thermostat, door lock, camera, sensor, device, alarm, scene, automation, speaker, vacuum, energy use, garage door, switch",
    "learning": "course, lesson, quiz, flash card, student, grade, assignment, teacher, university, exam, language lesson, tutor, certificate, homework",
    "work": "employee, candidate, job posting, resume, interview, payroll, time off, salary, contract, team, shift, timesheet, department, onboarding, benefit, property, apartment, house, rent, listing",
    "math": "equation, number, percentage, average, area, volume, probability, matrix, derivative, integral, unit conversion, random number, prime factor, square root, regression, date difference, interest",
    "memory": "note, memory, entity, relation, observation, knowledge graph, bookmark, wiki page, document, paragraph, block, template, whiteboard, diagram, mind map",
    "web": "browser, web site, link, form, button, cookie, HTML page, API endpoint, HTTP request, RSS feed, DNS record, IP address, domain, SSL certificate, screenshot, sitemap, crawler, user agent",
    "security": "user, role, password, API key, token, login, session, vulnerability, audit log, policy, permission, group, access request, malware, firewall rule, breach, identity",
    "sports": "match, score, team, player, league, standing, fixture, tournament, odds, season, race, goal, coach, stadium, lottery draw, horoscope, zodiac sign",
}

GROUPS = [
    "get, fetch, retrieve, read, look up, obtain, pull",
    "list, show, enumerate, display, see, view",
    "search, find, look for, query, discover, locate",
    "create, make, add, set up, open, start, new",
    "update, change, edit, modify, adjust, rename, fix, correct",
    "delete, remove, erase, get rid of, drop, clear, discard",
    "send, post, deliver, write, publish, share",
    "cancel, stop, abort, revoke, call off, end",
    "book, reserve, schedule, arrange, plan",
    "buy, order, purchase, pay for",
    "download, save, export, back up",
    "upload, import, attach, submit",
    "compare, check, verify, validate, test, inspect",
    "analyze, summarize, explain, review, describe",
    "translate, convert, transform, format",
    "calculate, compute, estimate, count, measure",
    "generate, draw, design, produce, render",
    "track, monitor, watch, follow, observe",
    "run, execute, trigger, launch, deploy, start",
    "merge, combine, join, connect, link",
    "move, copy, transfer, assign, forward",
    "approve, accept, confirm, reject, decline, close, resolve",
    "subscribe, follow, join, invite, register",
    "recommend, suggest, rank, predict, forecast",
    "lock, unlock, turn on, turn off, enable, disable, pause, resume",
    "refund, give money back, reimburse, charge, bill",
    "archive, restore, undo, reopen, revert",
    "tag, label, mark, flag, categorize, sort, filter",
]

REQUESTS = [
    "{v} {a} {n}",
    "{v} the {n}",
    "{v} my {n}s",
    "{v} all {n}s",
    "I want to {v} {a} {n}",
    "can you {v} the {n} for me",
    "please {v} the latest {n}",
    "how do I {v} {a} {n}",
    "{v} {n} about {m}",
    "{v} the {n} of {a2} {m}",
    "{v} {a} {n} with {a2} {m}",
    "what is the {n} of this {m}",
    "which {n}s have a {m}",
    "is there {a} {n} for my {m}",
    "who changed the {n}",
    "when is the next {n}",
    "how many {n}s are there",
    "I need {a} {n} and {a2} {m}",
    "the {n} is wrong, {v} it",
    "tell me about the {n}",
]

DESCRIPTIONS = [
    "{V}s {a} {n}.",
    "{V} {n}s by id or name.",
    "Returns the {n} of the given {m}.",
    "{V} {a} {n} in a {m}.",
    "{V} {n}s and their {m}s, with filters and paging.",
    "A tool to {v} {n}s.",
    "API for {n} and {m} data.",
    "Lets users {v} {n}s from their {m}.",
    "{v} {n}",
    "{v} {n} {m}",
    "{n} {m}",
    "{n}",
]


def words(text):
    return [word.strip() for word in text.split(",")]


def article(noun):
    return "an" if noun[0].lower() in "aeiou" else "a"


def phrases(count, seed=20261115):
    """The same phrases on every machine."""
    rng = random.Random(seed)
    domains = [words(text) for text in DOMAINS.values()]
    verbs = [words(text) for text in GROUPS]
    for _ in range(count):
        nouns = rng.choice(domains)
        noun = rng.choice(nouns)
        other = rng.choice(nouns if rng.random() < 0.8 else rng.choice(domains))
        verb = rng.choice(rng.choice(verbs))
        template = rng.choice(REQUESTS if rng.random() < 0.6 else DESCRIPTIONS)
        yield template.format(
            v=verb, V=verb.capitalize(), n=noun, m=other, a=article(noun), a2=article(other)
        )
