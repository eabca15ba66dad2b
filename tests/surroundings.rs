//! What code asks of its surroundings: arguments, variables of the environment, standard input, databases, files.

use serde_json::json;

use crate::support::verdicts::{errors, has, missed};

#[test]
fn arguments_follow_what_the_code_does_with_them() {
    for snippet in [
        "import sys\nfor argument in sys.argv[1:]:\n    print(argument.upper())\n",
        "import sys\nsource, target = sys.argv[1:]\ncopy(source, target)\n",
        "import sys\nif '-v' in sys.argv:\n    print('verbose')\nelse:\n    print('quiet')\n",
    ] {
        assert_eq!((errors(snippet), missed(snippet, &[])), (vec![], json!([])), "{snippet}");
    }
    // Nothing is given to code that does well without arguments.
    let plain = "import sys\nprint(missing, sys.argv[1:])\n";
    assert_eq!(missed(plain, &[]), json!([]));
}

#[test]
fn variables_that_may_be_absent_are_absent_and_set() {
    for read in ["os.environ.get('DEBUG')", "os.getenv('DEBUG')", "os.environ.get('DEBUG', '')"] {
        let snippet = format!("import os\nif {read} == 'yes':\n    print('on')\nelse:\n    print('off')\n");
        assert_eq!((errors(&snippet), missed(&snippet, &[])), (vec![], json!([])), "{snippet}");
    }
    let asked = "import os\nif 'CI' in os.environ:\n    print('in CI')\nelse:\n    print('at home')\n";
    assert_eq!(missed(asked, &[]), json!([]));
}

#[test]
fn a_number_that_the_program_drew_is_guessed() {
    let game = "import random\nsecret = random.randint(1, 50)\nguess = None\nwhile guess != secret:\n    \
        guess = int(input('? '))\n    if guess < secret:\n        print('higher')\n    elif guess > secret:\n        \
        print('lower')\nprint('right')\n";
    assert_eq!((errors(game), missed(game, &[])), (vec![], json!([])));
}

#[test]
fn a_cursor_gives_rows_of_tables_that_are_not_there() {
    let select =
        "import sqlite3\ncursor = sqlite3.connect('shop.db').cursor()\ncursor.execute('SELECT id, name FROM items')\n";
    for rest in [
        "for number, name in cursor.fetchall():\n    print(number, name.upper())\n",
        "for row in cursor:\n    print(row[1])\n",
        "row = cursor.fetchone()\nif row:\n    print(row[0])\n",
    ] {
        let snippet = format!("{select}{rest}");
        assert_eq!((errors(&snippet), missed(&snippet, &[])), (vec![], json!([])), "{snippet}");
    }
}

#[test]
fn files_are_read_open_and_by_calls() {
    has(
        "f = open('names.txt')\nf.close()\nfor line in f:\n    add(line)\n",
        "ValueError",
        3,
        &["certain", "conditional"],
    );
    has("n = int(open('n.txt').read)\nstep(n)\n", "TypeError", 1, &["certain"]);
    let read =
        "n = int(open('n.txt').read())\nwith open('names.txt') as f:\n    for line in f:\n        add(line, n)\n";
    assert_eq!(missed(read, &[]), json!([]));
}

#[test]
fn what_the_system_refuses_of_made_up_values_is_a_guess() {
    let server = "import asyncio\nasync def main():\n    await asyncio.start_server(handle, '127.0.0.1', port)\nasyncio.run(main())\n";
    let refused: Vec<_> = errors(server).into_iter().filter(|(kind, ..)| kind == "PermissionError").collect();
    assert!(!refused.is_empty() && refused.iter().all(|(_, _, verdict)| verdict == "guess"), "{refused:?}");
}
